//! What is tried on Windows alone.

/// Names that no run opens, be it to read.
pub const REFUSED: &[&str] = &[
    "absent.bin",
    "nul",
    "nul.bin",
    "aux.txt",
    "COM1",
    "C:",
    "C:data",
    r"\\.\PhysicalDrive",
    "//./PhysicalDrive00",
    r"\\.\PhysicalDrive4294967296",
    r"\\.\C:\",
    r"\\?\C:\",
    r"\\.\GLOBALROOT\Device\Harddisk0\DR0",
    "trace.csv:stream",
    "trace.csv::$DATA",
    "trace.csv.",
    "trace.*",
    "/dev/sda",
    "#0",
    "sim:nothing",
];

/// Commands whose answers say what the machine is, with the file that an answer is in.
pub const ANSWERS: &[(&str, &[&str], Option<&str>)] =
    &[("drives, as they answer", &["devices", "--capture", CAPTURE], Some(CAPTURE))];

const CAPTURE: &str = "drives.json";
