//! `cargo xtask dist`: what a release is handed out as, made on this machine and without a daemon.
//!
//! The program is built for a target, asked for its manual pages and completions, and packed: an archive, a Debian
//! package, an image for containers, a list of what is built in, and the checksums of all of it. The same sources and
//! the same compiler give the same bytes: times in archives are those of the last commit, or `SOURCE_DATE_EPOCH`.

mod archive;
mod bundled;
pub mod checksum;
mod deb;
mod notices;
mod oci;
mod package_trial;
mod sbom;
mod toolchain;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde_json::Value;

use crate::web_page;
pub use archive::gzip;
use archive::{Entry, tar};
use package_trial::Trial;

const SHELLS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/fathom"),
    ("zsh", "usr/share/zsh/vendor-completions/_fathom"),
    ("fish", "usr/share/fish/vendor_completions.d/fathom.fish"),
];

/// The licences of all that is built in.
const NOTICES: &str = "usr/share/doc/fathom/NOTICES.txt";

/// What was asked for.
#[derive(Args)]
pub struct DistArguments {
    /// A static program's target: x86_64-unknown-linux-musl, or Arm's aarch64-unknown-linux-musl.
    ///
    /// It needs: rustup target add TRIPLE, and a C compiler for it (Debian: musl-tools; for another processor than this
    /// one's, zig: pip install ziglang), or its name in CC_x86_64_unknown_linux_musl.
    #[arg(long, value_name = "TRIPLE", default_value = "x86_64-unknown-linux-musl")]
    target: String,
    /// What it is built with.
    #[arg(long, value_name = "NAME", default_value = "dist")]
    profile: String,
    /// Where it goes [default: target/dist]; files of those names there are replaced.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Pack this program instead of building one.
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Ask this program for manual pages and completions, where the target's own does not run here.
    #[arg(long, value_name = "FILE")]
    ask: Option<PathBuf>,
    /// Unpack each into an empty folder and run the program with nothing else around it.
    ///
    /// Another processor's is run by qemu-user-static. The image is checked by skopeo and umoci.
    #[arg(long = "try")]
    tried: bool,
}

pub fn run(root: &Path, asked: DistArguments) -> Result<(), String> {
    let architecture = deb::architecture(&asked.target)
        .ok_or_else(|| format!("{}: there are packages for x86_64 and aarch64 alone", asked.target))?;
    let metadata = metadata(root, &asked.target)?;
    let version = version(&metadata)?;
    let time_s = time_s(root);
    let program = match &asked.program {
        Some(program) => program.clone(),
        None => build(root, &asked.target, &asked.profile)?,
    };
    let emulator = package_trial::emulator(asked.target.split('-').next().unwrap_or_default());
    let teller = match (&asked.ask, &emulator) {
        (Some(program), _) => vec![program.clone()],
        (None, Ok(Some(emulator))) => vec![emulator.clone(), program.clone()],
        (None, _) => vec![program.clone()],
    };
    let bundled = bundled::parts(root, &metadata, "fathom", &asked.target)?;
    let notices = notices::document(&sbom::built_in(&metadata, "fathom")?, &bundled)?;
    let installed = installed(root, &program, &teller, notices)?;
    let stem = format!("fathom-{version}-{}", asked.target);
    let package = deb::Package { version: &version, architecture };
    let image = oci::Image { version: &version, architecture };
    let lock = fs::read_to_string(root.join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    let outputs = [
        (format!("{stem}.tar.gz"), gzip(&tar(&unpacked(&installed), &format!("{stem}/"), time_s)?)?),
        (package.file_name(), package.bytes(&installed, time_s)?),
        (image.file_name(), image.bytes(&in_image(&installed), time_s)?),
        (format!("{stem}.cdx.json"), sbom::document(&metadata, &lock, &bundled, &version)?.into_bytes()),
    ];
    let out = asked.out.unwrap_or_else(|| root.join("target/dist"));
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(&out).map_err(|error| failed(&out, error))?;
    let path = out.join("SHA256SUMS");
    let names: Vec<&str> = outputs.iter().map(|(name, _)| name.as_str()).collect();
    let mut sums = checksum::others(&fs::read_to_string(&path).unwrap_or_default(), &names);
    for (name, bytes) in &outputs {
        let file = out.join(name);
        fs::write(&file, bytes).map_err(|error| failed(&file, error))?;
        sums += &checksum::line(name, bytes);
        println!("{:>12} bytes  {}", bytes.len(), file.display());
    }
    fs::write(&path, &sums).map_err(|error| failed(&path, error))?;
    println!("{:>12} bytes  {}", sums.len(), path.display());
    if !asked.tried {
        return Ok(());
    }
    let scratch = tempfile::tempdir().map_err(|error| format!("a folder to unpack in: {error}"))?;
    let trial = Trial {
        out,
        scratch: scratch.path().to_owned(),
        version: version.clone(),
        architecture,
        emulator: emulator?,
    };
    trial.run(&stem, &package.file_name(), &image.file_name())
}

/// What goes as `NOTICES.txt` with our package `of`, built for `target`.
///
/// # Errors
/// Where Cargo or a file of licences cannot be read.
pub fn notices(root: &Path, of: &str, target: &str) -> Result<String, String> {
    let metadata = metadata(root, target)?;
    notices::document(&sbom::built_in(&metadata, of)?, &bundled::parts(root, &metadata, of, target)?)
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn metadata(root: &Path, target: &str) -> Result<Value, String> {
    let output = cargo()
        .args(["metadata", "--locked", "--format-version", "1", "--filter-platform", target])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

fn version(metadata: &Value) -> Result<String, String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let own = packages
        .filter(|package| package["name"] == "fathom")
        .find_map(|package| package["version"].as_str());
    own.map(str::to_owned).ok_or_else(|| "there is no package fathom".to_owned())
}

/// The time that archives carry.
fn time_s(root: &Path) -> u64 {
    let asked = std::env::var("SOURCE_DATE_EPOCH").ok();
    let commit = || {
        let output =
            Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root).output().ok()?;
        String::from_utf8(output.stdout).ok()
    };
    asked.or_else(commit).and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// Builds the program.
fn build(root: &Path, target: &str, profile: &str) -> Result<PathBuf, String> {
    if let Err(error) = web_page::make(root) {
        println!("skip   the page of fathom serve in packages, unless it was made before: {error}");
    }
    let mut build = cargo();
    build.args(["build", "--locked", "--profile", profile, "--package", "fathom", "--target", target]);
    build.envs(toolchain::variables(target)?);
    let status = build.current_dir(root).status().map_err(|error| format!("cargo build: {error}"))?;
    if !status.success() {
        return Err(format!(
            "the program was not built; if the target is missing: rustup target add {target}"
        ));
    }
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    // Cargo's own name of the folder for the profile of development.
    let profile = if profile == "dev" { "debug" } else { profile };
    Ok(folder.join(target).join(profile).join("fathom"))
}

/// What the program prints; `teller` is the program, behind what runs it.
fn asked(teller: &[PathBuf], arguments: &[&str]) -> Result<Vec<u8>, String> {
    let words: Vec<&OsStr> =
        teller.iter().map(|path| path.as_os_str()).chain(arguments.iter().map(OsStr::new)).collect();
    let told = |error: &str| format!("{}: {error}", words.join(OsStr::new(" ")).display());
    let output =
        Command::new(words[0]).args(&words[1..]).output().map_err(|error| told(&error.to_string()))?;
    if !output.status.success() {
        return Err(told(String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(output.stdout)
}

/// All files as they are installed; `teller` is asked for what is made of the program's own help.
fn installed(root: &Path, program: &Path, teller: &[PathBuf], notices: String) -> Result<Vec<Entry>, String> {
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    let mut files = vec![Entry::new("usr/bin/fathom", 0o755, read(program)?)];
    for (shell, path) in SHELLS {
        files.push(Entry::new(path, 0o644, asked(teller, &["completions", shell])?));
    }
    let names = String::from_utf8_lossy(&asked(teller, &["man", "--list"])?).into_owned();
    for name in names.lines() {
        let page = asked(teller, &["man", name])?;
        files.push(Entry::new(format!("usr/share/man/man1/{name}.1.gz"), 0o644, gzip(&page)?));
    }
    for name in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        files.push(Entry::new(format!("usr/share/doc/fathom/{name}"), 0o644, read(&root.join(name))?));
    }
    files.push(Entry::new(NOTICES, 0o644, notices));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The same for an archive that is unpacked anywhere: the program first to see.
fn unpacked(installed: &[Entry]) -> Vec<Entry> {
    let moved = |file: &Entry| {
        let path =
            file.path.strip_prefix("usr/bin/").or_else(|| file.path.strip_prefix("usr/share/doc/fathom/"));
        let path = path.or_else(|| file.path.strip_prefix("usr/")).unwrap_or(&file.path);
        Entry { path: path.to_owned(), ..file.clone() }
    };
    installed.iter().map(moved).collect()
}

/// What an image holds: the program, and a folder for temporary files.
fn in_image(installed: &[Entry]) -> Vec<Entry> {
    let mut files: Vec<Entry> = installed
        .iter()
        .filter(|file| file.path.starts_with("usr/bin/") || file.path.contains("/doc/"))
        .cloned()
        .collect();
    files.push(Entry::new("data/.keep", 0o644, ""));
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_the_program_on_top() {
        let installed = [
            Entry::new("usr/bin/fathom", 0o755, "x"),
            Entry::new("usr/share/doc/fathom/README.md", 0o644, ""),
            Entry::new("usr/share/man/man1/fathom.1.gz", 0o644, ""),
        ];
        let paths: Vec<String> = unpacked(&installed).into_iter().map(|file| file.path).collect();
        assert_eq!(paths, ["fathom", "README.md", "share/man/man1/fathom.1.gz"]);
        assert_eq!(in_image(&installed).len(), 3);
    }
}
