//! `cargo xtask wheel`: the Python package as a wheel, one for all versions of Python from 3.9 on.
//!
//! A wheel is a zip of the library, the Python files and a list of digests. It says which C library it needs at least,
//! which is read off the library itself; with zig as the linker that is an old one, so that the wheel serves everywhere.

pub mod linker;
mod needs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use needs::{Needs, OLD_GLIBC};
use sha2::{Digest, Sha256};

use fathom_archive::{ArchiveFile, zip};

use crate::dist;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// What was asked for.
#[derive(Args)]
#[command(after_help = "Then: pip install target/wheel/fathom-*.whl")]
pub struct WheelArguments {
    /// x86_64-unknown-linux-gnu or aarch64-unknown-linux-gnu, by zig for Linux from 2014 on.
    ///
    /// It needs: pip install ziglang, and rustup target add TRIPLE. Default: this machine's, compiled and linked as
    /// programs are, for its C library and later ones.
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// What it is built with [default: dist].
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Pack a library that is built already, e.g. target/debug/lib_fathom.so.
    #[arg(long, value_name = "FILE", conflicts_with = "profile")]
    library: Option<PathBuf>,
    /// Where it goes [default: target/wheel]; a file of that name there is replaced.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub fn run(root: &Path, asked: &WheelArguments) -> Result<(), String> {
    let out = asked.out.clone().unwrap_or_else(|| root.join("target/wheel"));
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let library = match &asked.library {
        Some(library) => read(library)?,
        None => read(&build(root, asked, &out)?)?,
    };
    let processor = match &asked.target {
        Some(target) => target.split('-').next().unwrap_or_default(),
        None => std::env::consts::ARCH,
    };
    let platform = platform(&library, processor, asked.target.is_some())?;
    let tag = format!("cp39-abi3-{platform}");
    let notices = dist::notices(root, "fathom-python", &format!("{processor}-unknown-linux-gnu"))?;
    let bytes = zip(&content(root, library, &tag, notices)?).map_err(|error| error.to_string())?;
    let path = out.join(format!("fathom-{VERSION}-{tag}.whl"));
    fs::write(&path, &bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{:>12} bytes  {}", bytes.len(), path.display());
    Ok(())
}

/// Where a library can be loaded, as wheels have it: the C library that it needs at least, and the processor. One that is to
/// be `old` needs nothing newer than 2014.
fn platform(library: &[u8], processor: &str, old: bool) -> Result<String, String> {
    let refused = |cause: String| format!("the library: {cause}");
    let needs = Needs::read(library).map_err(refused)?;
    if needs.processor != Some(processor) {
        let other = needs.processor.unwrap_or("another processor");
        return Err(refused(format!("it is for {other}, and the wheel for {processor}")));
    }
    if old {
        needs.check_old().map_err(refused)?;
    }
    let (major, minor) = needs.glibc().map_err(refused)?;
    let newer = format!("manylinux_{major}_{minor}_{processor}");
    // The name that pip knows which came with the first Python 3.9 (PEP 599; PEP 600 is of pip 20.3).
    let known = ((major, minor) == OLD_GLIBC).then(|| format!("{newer}.manylinux2014_{processor}"));
    Ok(known.unwrap_or(newer))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Builds the library; gives its place.
fn build(root: &Path, asked: &WheelArguments, out: &Path) -> Result<PathBuf, String> {
    let mut build = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    let profile = asked.profile.as_deref().unwrap_or("dist");
    build.args(["build", "--locked", "--profile", profile, "--package", "fathom-python"]);
    if let Some(target) = &asked.target {
        build.args(["--target", target]).envs(linker::variables(target, out)?);
    }
    let status = build.current_dir(root).status().map_err(|error| format!("cargo build: {error}"))?;
    if !status.success() {
        let hint = asked
            .target
            .as_ref()
            .map(|target| format!("; if the target is missing: rustup target add {target}"));
        return Err(format!("the library was not built{}", hint.unwrap_or_default()));
    }
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    // Cargo's own name of the folder for the profile of development.
    let profile = if profile == "dev" { "debug" } else { profile };
    let folder = asked.target.iter().fold(folder, |folder, target| folder.join(target));
    Ok(folder.join(profile).join("lib_fathom.so"))
}

/// The files of the wheel, with the list of their digests at its end.
fn content(root: &Path, library: Vec<u8>, tag: &str, notices: String) -> Result<Vec<ArchiveFile>, String> {
    let mut files = Vec::new();
    let package = root.join("python/fathom");
    let mut names: Vec<PathBuf> = fs::read_dir(&package)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(|error| format!("{}: {error}", package.display()))?;
    names.sort();
    let is_ours = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name == "py.typed")
            || path.extension().is_some_and(|ending| ending == "py" || ending == "pyi")
    };
    for path in names.into_iter().filter(is_ours) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.push(ArchiveFile { path: format!("fathom/{name}"), content: read(&path)? });
    }
    files.push(ArchiveFile { path: "fathom/_fathom.abi3.so".to_owned(), content: library });
    let info = format!("fathom-{VERSION}.dist-info");
    for name in LICENCES {
        files.push(ArchiveFile { path: format!("{info}/licenses/{name}"), content: read(&root.join(name))? });
    }
    files.push(ArchiveFile { path: format!("{info}/licenses/NOTICES.txt"), content: notices.into() });
    let metadata = format!(
        "Metadata-Version: 2.1\nName: fathom\nVersion: {VERSION}\n\
         Summary: Every volume of a fleet judged by itself, inside the engine that holds its metrics\n\
         License: MIT OR Apache-2.0\nRequires-Python: >=3.9\n"
    );
    files.push(ArchiveFile { path: format!("{info}/METADATA"), content: metadata.into() });
    // A name may stand for several platforms; the file lists each.
    let (python, platforms) = tag.rsplit_once('-').unwrap_or_default();
    let tags = platforms.split('.').map(|platform| format!("Tag: {python}-{platform}\n"));
    let wheel = "Wheel-Version: 1.0\nGenerator: cargo xtask wheel\nRoot-Is-Purelib: false\n".to_owned()
        + &tags.collect::<String>();
    files.push(ArchiveFile { path: format!("{info}/WHEEL"), content: wheel.into() });
    let list = format!("{info}/RECORD");
    let lines = files.iter().map(|file| {
        let digest = base64_url(&Sha256::digest(&file.content));
        format!("{},sha256={digest},{}\n", file.path, file.content.len())
    });
    let record = lines.collect::<String>() + &format!("{list},,\n");
    files.push(ArchiveFile { path: list, content: record.into() });
    Ok(files)
}

/// Base64 in letters of URLs, without padding, as wheels have their digests.
fn base64_url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::new();
    for part in bytes.chunks(3) {
        let bits =
            part.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for letter in 0..=part.len() {
            out.push(char::from(LETTERS[(bits >> (18 - 6 * letter)) as usize & 63]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_spelt_as_wheels_have_them() {
        // RFC 4648, section 10, without padding.
        for (bytes, text) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64_url(bytes.as_bytes()), text);
        }
        assert_eq!(base64_url(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn a_wheel_lists_all_that_is_in_it() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let tag = "cp39-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64";
        let files = content(root, b"library".to_vec(), tag, "whose\n".to_owned()).unwrap();
        let wheel = files.iter().find(|file| file.path.ends_with("/WHEEL")).unwrap();
        let wheel = String::from_utf8(wheel.content.clone()).unwrap();
        assert!(
            wheel.contains("Tag: cp39-abi3-manylinux_2_17_x86_64\nTag: cp39-abi3-manylinux2014_x86_64\n")
        );
        let record = String::from_utf8(files.last().unwrap().content.clone()).unwrap();
        assert_eq!(record.lines().count(), files.len());
        for wanted in
            ["fathom/__init__.py", "fathom/_fathom.pyi", "fathom/py.typed", "fathom/_fathom.abi3.so"]
        {
            assert!(record.contains(&format!("{wanted},sha256=")), "{wanted}");
        }
    }
}
