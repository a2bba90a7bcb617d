//! `cargo xtask zip`: what a release for Windows is handed out as: the program, the licences, the schemas and what to read,
//! in one file.
//!
//! The program is looked into before it is packed: its processor, that it asks for nothing but libraries that every Windows
//! has, and that no path of the machine that built it is in it. The same program gives the same bytes.

mod executable;
mod zig_toolchain;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use fathom_archive::ArchiveFile;

use crate::dist::{self, checksum};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const X64: &str = "x86_64-pc-windows-gnu";
/// Targets, the name of each in a release, and the number of its processor.
const TARGETS: [(&str, &str, u16); 2] = [(X64, "x64", 0x8664), (zig_toolchain::TARGET, "arm64", 0xaa64)];
/// What stands beside the program: the file here, and its name there.
const BESIDE: [(&str, &str); 7] = [
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("README.md", "README.md"),
    ("docs/windows.md", "windows.md"),
    ("crates/plan/schema/plan.json", "schema/plan.json"),
    ("crates/record/schema/run.json", "schema/run.json"),
    ("crates/record/schema/campaign.json", "schema/campaign.json"),
];
/// Libraries that are in every Windows from version 10 of 2018 and Server 2019 on. What a newer one alone has keeps the
/// program from starting, and is to be looked for when it runs.
const LIBRARIES: [&str; 16] = [
    "advapi32.dll",
    "bcrypt.dll",
    "bcryptprimitives.dll",
    "cfgmgr32.dll",
    "crypt32.dll",
    "iphlpapi.dll",
    "kernel32.dll",
    "msvcrt.dll",
    "ntdll.dll",
    "ole32.dll",
    "powrprof.dll",
    "setupapi.dll",
    "shell32.dll",
    "userenv.dll",
    "winmm.dll",
    "ws2_32.dll",
];
/// The C library of Windows itself, and calls of the kernel under names that stay.
const FAMILIES: [&str; 2] = ["api-ms-win-crt-", "api-ms-win-core-synch-"];

/// What was asked for.
#[derive(Args)]
pub struct ZipArguments {
    /// x86_64-pc-windows-gnu, by mingw, or aarch64-pc-windows-gnullvm, by zig.
    ///
    /// mingw is Debian's gcc-mingw-w64-x86-64, zig comes with: pip install ziglang. It needs: rustup target add TRIPLE.
    #[arg(long, value_name = "TRIPLE", default_value = X64)]
    target: String,
    /// What it is built with [default: dist].
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Pack this program instead of building one. It is looked into all the same.
    #[arg(long, value_name = "FILE", conflicts_with = "profile")]
    program: Option<PathBuf>,
    /// Where it goes [default: target/zip]; files of those names there are replaced.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub fn run(root: &Path, asked: &ZipArguments) -> Result<(), String> {
    let target = asked.target.as_str();
    let (_, processor, machine) = TARGETS
        .into_iter()
        .find(|(name, ..)| *name == target)
        .ok_or_else(|| format!("{target}: there are zips for {X64} and {} alone", zig_toolchain::TARGET))?;
    let out = asked.out.clone().unwrap_or_else(|| root.join("target/zip"));
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let path = match &asked.program {
        Some(program) => program.clone(),
        None => build(root, target, asked.profile.as_deref().unwrap_or("dist"), &out)?,
    };
    let program = read(&path)?;
    let places: Vec<String> = places(root).into_iter().map(|(place, _)| place).chain(home()).collect();
    inspect(&program, machine, &places).map_err(|error| format!("{}: {error}", path.display()))?;
    let name = format!("fathom-{VERSION}-windows-{processor}");
    let content = content(root, &name, program, dist::notices(root, "fathom", target)?)?;
    let bytes = fathom_archive::zip(&content).map_err(|error| error.to_string())?;
    let file = format!("{name}.zip");
    let sums = out.join("SHA256SUMS");
    let others = checksum::others(&fs::read_to_string(&sums).unwrap_or_default(), &[&file]);
    let lines = others + &checksum::line(&file, &bytes);
    for (path, bytes) in [(out.join(&file), bytes.as_slice()), (sums, lines.as_bytes())] {
        fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{:>12} bytes  {}", bytes.len(), path.display());
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Folders of this machine that a build names, with what stands in their place in the program.
fn places(root: &Path) -> Vec<(String, &'static str)> {
    let home = std::env::home_dir().unwrap_or_default();
    let or = |name: &str, below: &str| std::env::var_os(name).map_or_else(|| home.join(below), PathBuf::from);
    // Of two names that begin alike the later one counts.
    let places = [
        (root.canonicalize().unwrap_or_else(|_| root.to_owned()), "fathom"),
        (target_folder(root), "target"),
        (or("CARGO_HOME", ".cargo"), "cargo"),
        (or("RUSTUP_HOME", ".rustup"), "rust"),
    ];
    let absolute = places.into_iter().filter(|(path, _)| path.is_absolute());
    absolute.map(|(path, word)| (path.display().to_string(), word)).collect()
}

/// The home of who builds, with the slash that a path in it has: nothing in the program may lie there.
fn home() -> Option<String> {
    let home = std::env::home_dir()?.display().to_string();
    (home.len() > 1).then(|| format!("{}/", home.trim_end_matches('/')))
}

fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Builds the program; gives its place.
fn build(root: &Path, target: &str, profile: &str, out: &Path) -> Result<PathBuf, String> {
    if let Err(error) = crate::web_page::make(root) {
        println!("skip   the page of fathom serve in the zip, unless it was made before: {error}");
    }
    let places = places(root);
    let join = |flag: &str, end: &str| -> String {
        places.iter().map(|(path, word)| format!("{flag}={path}={word}{end}")).collect()
    };
    let mut flags = join("--remap-path-prefix", "\u{1f}");
    flags += match target {
        // The linker's time of day would make each build another one.
        X64 => "-Clink-arg=-Wl,--no-insert-timestamp",
        _ => "-Cdebuginfo=0",
    };
    let underlined = target.replace('-', "_");
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--locked", "--profile", profile, "--package", "fathom", "--target", target]);
    build.env("CARGO_ENCODED_RUSTFLAGS", flags);
    build.env(format!("CFLAGS_{underlined}"), join("-ffile-prefix-map", " ").trim_end());
    if target == zig_toolchain::TARGET {
        build.envs(zig_toolchain::variables(out)?);
    }
    let status = build.current_dir(root).status().map_err(|error| format!("cargo build: {error}"))?;
    if !status.success() {
        return Err(format!(
            "the program was not built; if the target is missing: rustup target add {target}"
        ));
    }
    // Cargo's own name of the folder for the profile of development.
    let profile = if profile == "dev" { "debug" } else { profile };
    Ok(target_folder(root).join(target).join(profile).join("fathom.exe"))
}

/// Whether it is a program for this processor that starts everywhere and tells nothing of where it was built.
fn inspect(program: &[u8], machine: u16, places: &[String]) -> Result<(), String> {
    let read = executable::read(program)?;
    if read.machine != machine {
        return Err(format!("it is for processor {:#x} and not {machine:#x}", read.machine));
    }
    let is_known =
        |name: &str| LIBRARIES.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family));
    let unknown: Vec<&str> =
        read.libraries.iter().map(String::as_str).filter(|name| !is_known(name)).collect();
    if !unknown.is_empty() {
        return Err(format!("it asks for {}, which not every Windows has", unknown.join(", ")));
    }
    let named = places.iter().find(|place| names(program, place));
    named.map_or(Ok(()), |place| Err(format!("{place} is named in it: build it with this task")))
}

/// Whether a text is in a program, in bytes or in pairs of them.
fn names(program: &[u8], text: &str) -> bool {
    let holds =
        |wanted: &[u8]| !wanted.is_empty() && program.windows(wanted.len()).any(|window| window == wanted);
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    holds(text.as_bytes()) || holds(&wide)
}

/// The files, in a folder of their own.
fn content(root: &Path, folder: &str, program: Vec<u8>, notices: String) -> Result<Vec<ArchiveFile>, String> {
    let mut files = vec![ArchiveFile { path: format!("{folder}/fathom.exe"), content: program }];
    for (here, there) in BESIDE {
        files.push(ArchiveFile { path: format!("{folder}/{there}"), content: read(&root.join(here))? });
    }
    files.push(ArchiveFile { path: format!("{folder}/NOTICES.txt"), content: notices.into() });
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::executable::tests::drawn;
    use super::*;

    #[test]
    fn a_program_is_packed_only_if_it_starts_everywhere() {
        let places = ["/home/ann/fathom".to_owned()];
        let inspect = |program: &[u8]| inspect(program, 0x8664, &places);
        let good = drawn(0x8664, &["KERNEL32.dll", "api-ms-win-crt-math-l1-1-0.dll"]);
        assert_eq!(inspect(&good), Ok(()));
        assert!(inspect(&drawn(0xaa64, &["kernel32.dll"])).unwrap_err().contains("0xaa64"));
        let newer = drawn(0x8664, &["api-ms-win-core-ioring-l1-1-0.dll"]);
        assert!(inspect(&newer).unwrap_err().contains("ioring"));
        assert!(inspect(&drawn(0x8664, &["libgcc_s_seh-1.dll"])).unwrap_err().contains("libgcc"));
        let wide: Vec<u8> = "/home/ann/fathom/x".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for tail in [b"/home/ann/fathom/src/main.rs".as_slice(), &wide] {
            assert!(inspect(&[&good, tail].concat()).unwrap_err().contains("/home/ann"));
        }
        assert!(inspect(b"#!/bin/sh").is_err());
    }

    #[test]
    fn a_zip_holds_the_program_and_what_to_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let files = content(root, "fathom", b"program".to_vec(), "whose\n".to_owned()).unwrap();
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths[0], "fathom/fathom.exe");
        for path in
            ["fathom/LICENSE-MIT", "fathom/NOTICES.txt", "fathom/windows.md", "fathom/schema/run.json"]
        {
            assert!(paths.contains(&path), "{path}");
        }
    }

    #[test]
    fn another_target_is_refused() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let target = "x86_64-pc-windows-msvc".to_owned();
        let refused =
            run(root, &ZipArguments { target, profile: None, program: None, out: None }).unwrap_err();
        assert!(refused.contains("alone"), "{refused}");
    }
}
