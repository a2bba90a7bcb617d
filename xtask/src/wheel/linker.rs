//! zig as the linker and the C compiler, for an old C library and for other processors than this one's.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The C library of 2014, which every Linux that Python 3.9 runs on has.
const GLIBC: &str = "2.17";

/// What Cargo is told: a linker, which is written into a folder, and what zstd is compiled with.
///
/// # Errors
/// For other targets, and where there is no zig: what to install.
pub fn variables(target: &str, folder: &Path) -> Result<Vec<(String, String)>, String> {
    let processor =
        target.strip_suffix("-unknown-linux-gnu").filter(|name| ["x86_64", "aarch64"].contains(name));
    let processor = processor.ok_or_else(|| {
        format!("{target}: there are wheels for x86_64-unknown-linux-gnu and aarch64-unknown-linux-gnu alone")
    })?;
    let zig = zig().ok_or_else(|| {
        format!("no zig to link for {target} with: pip install ziglang; or leave --target out")
    })?;
    let linker = variable(target, &folder.join(format!("link-{processor}.sh")), &script(&zig, processor))?;
    let name = target.replace('-', "_");
    // zig checks for undefined behaviour with calls into a library that is not linked.
    let compiler = format!("{zig} cc -target {processor}-linux-gnu.{GLIBC} -fno-sanitize=undefined");
    Ok(vec![linker, (format!("CC_{name}"), compiler), (format!("AR_{name}"), format!("{zig} ar"))])
}

/// How zig is called here, if it is here.
pub fn zig() -> Option<String> {
    let zig = [&["zig"] as &[&str], &["python3", "-m", "ziglang"]];
    zig.into_iter().find(|words| answers(words)).map(|words| words.join(" "))
}

/// Writes a linker for a target, and tells Cargo of it.
///
/// # Errors
/// When it cannot be written.
pub fn variable(target: &str, path: &Path, script: &str) -> Result<(String, String), String> {
    let name = format!("CARGO_TARGET_{}_LINKER", target.replace('-', "_").to_uppercase());
    written(path, script).map(|place| (name, place))
}

/// Writes a script that can be called, and gives its whole path.
///
/// # Errors
/// When it cannot be written.
pub fn written(path: &Path, script: &str) -> Result<String, String> {
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    fs::write(path, script).map_err(told)?;
    make_executable(path)?;
    Ok(path.canonicalize().map_err(told)?.display().to_string())
}

fn answers(words: &[&str]) -> bool {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg("version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Passes on what a linker is asked for, but for another linker's name and what zig has under another one.
fn script(zig: &str, processor: &str) -> String {
    format!(
        "#!/bin/sh\n\
         for word do\n\
         \x20   shift\n\
         \x20   case $word in\n\
         \x20   -fuse-ld=*) continue ;;\n\
         \x20   -lgcc_s) word=-lunwind ;;\n\
         \x20   esac\n\
         \x20   set -- \"$@\" \"$word\"\n\
         done\n\
         exec {zig} cc -target {processor}-linux-gnu.{GLIBC} \"$@\"\n"
    )
}

fn make_executable(path: &Path) -> Result<(), String> {
    let status = Command::new("chmod").arg("755").arg(path).status();
    let status = status.map_err(|error| format!("chmod: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{}: not made executable", path.display())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_linker_but_for_those_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("link.sh");
        fs::write(&path, script("echo", "aarch64")).unwrap();
        let words = ["-o", "a b.so", "-fuse-ld=mold", "-lgcc_s", "-lc"];
        let output = Command::new("sh").arg(&path).args(words).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said, "cc -target aarch64-linux-gnu.2.17 -o a b.so -lunwind -lc\n");
        assert!(variables("x86_64-pc-windows-gnu", folder.path()).unwrap_err().contains("alone"));
    }
}
