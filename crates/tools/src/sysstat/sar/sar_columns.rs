//! What sar's tables and columns mean. A table is known by its key column, or by its first.

use crate::foreign_series::{Column, Sheet, bytes, plain, share};
use crate::sysstat;

/// Columns of no interest to storage, kept under the tool's own name with their unit.
const KEPT: &[&str] = &[
    // Sockets.
    "totsck",
    "tcpsck",
    "udpsck",
    "rawsck",
    "ip-frag",
    "tcp-tw",
    "tcp6sck",
    "udp6sck",
    "raw6sck",
    "ip6-frag",
    // Kernel tables.
    "dentunusd",
    "file-nr",
    "inode-nr",
    "pty-nr",
    // NFS client and server.
    "call",
    "retrans",
    "read",
    "write",
    "access",
    "getatt",
    "scall",
    "badcall",
    "packet",
    "udp",
    "tcp",
    "hit",
    "miss",
    "sread",
    "swrite",
    "saccess",
    "sgetatt",
    // IP, ICMP, UDP, versions 4 and 6.
    "irec",
    "fwddgm",
    "idel",
    "orq",
    "asmrq",
    "asmok",
    "fragok",
    "fragcrt",
    "ihdrerr",
    "iadrerr",
    "iukwnpr",
    "idisc",
    "odisc",
    "onort",
    "asmf",
    "fragf",
    "imsg",
    "omsg",
    "iech",
    "iechr",
    "oech",
    "oechr",
    "itm",
    "itmr",
    "otm",
    "otmr",
    "iadrmk",
    "iadrmkr",
    "oadrmk",
    "oadrmkr",
    "ierr",
    "oerr",
    "idstunr",
    "odstunr",
    "itmex",
    "otmex",
    "iparmpb",
    "oparmpb",
    "isrcq",
    "osrcq",
    "iredir",
    "oredir",
    "idgm",
    "odgm",
    "noport",
    "idgmerr",
    "irec6",
    "fwddgm6",
    "idel6",
    "orq6",
    "asmrq6",
    "asmok6",
    "imcpck6",
    "omcpck6",
    "fragok6",
    "fragcr6",
    "ihdrer6",
    "iadrer6",
    "iukwnp6",
    "i2big6",
    "idisc6",
    "odisc6",
    "inort6",
    "onort6",
    "asmf6",
    "fragf6",
    "itrpck6",
    "imsg6",
    "omsg6",
    "iech6",
    "iechr6",
    "oechr6",
    "igmbq6",
    "igmbr6",
    "ogmbr6",
    "igmbrd6",
    "ogmbrd6",
    "irtsol6",
    "ortsol6",
    "irtad6",
    "inbsol6",
    "onbsol6",
    "inbad6",
    "onbad6",
    "ierr6",
    "idtunr6",
    "odtunr6",
    "itmex6",
    "otmex6",
    "iprmpb6",
    "oprmpb6",
    "iredir6",
    "oredir6",
    "ipck2b6",
    "opck2b6",
    "idgm6",
    "odgm6",
    "noport6",
    "idgmer6",
    // Deferred network work, serial lines, fibre channel, old memory rates.
    "total",
    "dropd",
    "squeezd",
    "rx_rps",
    "flw_lim",
    "blg_len",
    "rcvin",
    "xmtin",
    "txmtin",
    "framerr",
    "prtyerr",
    "brk",
    "ovrun",
    "fch_rxf",
    "fch_txf",
    "fch_rxw",
    "fch_txw",
    "frmpg",
    "bufpg",
    "campg",
];

/// What a column of a table means.
pub fn column(table: &str, column: &str) -> Column {
    let rate = column.strip_suffix("/s");
    let name = rate.unwrap_or(column);
    let known = match table {
        "CPU" if rate.is_none() && name != "blg_len" => sysstat::cpu(name.trim_start_matches('%')),
        "DEV" => sysstat::disk(column),
        "INTR" => sysstat::interrupts(column),
        "IFACE" | "active/s" | "atmptf/s" => sysstat::network(name),
        "tps" => sysstat::transfers(name),
        "runq-sz" => sysstat::load(name),
        "proc/s" | "cswch/s" => sysstat::switches(name),
        "pgpgin/s" => sysstat::paging(name),
        "pswpin/s" => sysstat::swapping(name),
        "kbhugfree" => sysstat::huge_pages(name.trim_start_matches("kb")),
        "kbmemfree" | "kbswpfree" => sysstat::memory(name.trim_start_matches("kb")),
        "FILESYSTEM" => file_system(name),
        "TEMP" | "FAN" | "IN" | "DEVICE" => sensor(name),
        // What is plugged in is no series.
        "BUS" | "BAT" => Column::Nothing,
        _ if table.starts_with('%') => sysstat::pressure(name),
        _ => Column::Unknown,
    };
    if known != Column::Unknown || !KEPT.contains(&name) {
        return known;
    }
    let unit = if rate.is_some() { "1/s" } else { "number" };
    plain(format!("sar.{}", name.replace('-', "_")), unit)
}

/// A column of `sar -F`.
fn file_system(name: &str) -> Column {
    match name {
        "MBfsfree" => bytes("filesystem.free", sysstat::MB),
        "MBfsused" => bytes("filesystem.used", sysstat::MB),
        "%fsused" => share("filesystem.used_share"),
        "%ufsused" => share("filesystem.used_share_unprivileged"),
        "Ifree" => plain("filesystem.inodes_free", "inodes"),
        "Iused" => plain("filesystem.inodes_used", "inodes"),
        "%Iused" => share("filesystem.inodes_used_share"),
        _ => Column::Unknown,
    }
}

/// A column of `sar -m`.
fn sensor(name: &str) -> Column {
    match name {
        "degC" => plain("thermal.temperature", "celsius"),
        "rpm" => plain("thermal.fan", "rpm"),
        "inV" => plain("thermal.voltage", "volts"),
        // Shares of limits that the text does not state.
        "%temp" | "drpm" | "%in" => Column::Nothing,
        _ => Column::Unknown,
    }
}

/// Which versions print such columns.
pub fn era(sheet: &Sheet) -> &'static str {
    let has =
        |name: &str| (0..sheet.columns.len() as u32).any(|number| sheet.column(number) == ("DEV", name));
    if has("dkB/s") {
        "sysstat 12.1.2 or newer"
    } else if has("areq-sz") {
        "sysstat 11.5.7 to 12.1.1"
    } else if has("rd_sec/s") {
        "sysstat before 11.5.7"
    } else {
        ""
    }
}
