//! zig as compiler and linker for Windows on Arm.

use std::path::Path;

use crate::wheel::linker;

pub const TARGET: &str = "aarch64-pc-windows-gnullvm";
/// zig's name of it.
const ZIG: &str = "aarch64-windows-gnu";

/// What Cargo is told; linker, compiler and archiver are written into a folder. What the environment names already is left
/// alone.
///
/// # Errors
/// Where there is no zig: what to install.
pub fn variables(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let zig =
        linker::zig().ok_or_else(|| format!("no zig to build for {TARGET} with: pip install ziglang"))?;
    let underlined = TARGET.replace('-', "_");
    let written = |name: &str, script: &str| linker::written(&folder.join(name), script);
    // Their names have zig in them: what builds C knows by that how to call it.
    let mut variables = vec![
        (format!("CC_{underlined}"), written("zig-cc-windows-arm.sh", &compiler(&zig))?),
        (format!("AR_{underlined}"), written("zig-ar.sh", &format!("#!/bin/sh\nexec {zig} ar \"$@\"\n"))?),
        linker::variable(TARGET, &folder.join("link-windows-arm.sh"), &script(&zig))?,
    ];
    variables.retain(|(name, _)| std::env::var_os(name).is_none());
    Ok(variables)
}

/// Compiles for one target, which zig calls by a name of its own.
fn compiler(zig: &str) -> String {
    // zig checks for undefined behaviour with calls into a library that is not linked.
    format!(
        "#!/bin/sh\n\
         for word do\n\
         \x20   shift\n\
         \x20   case $word in\n\
         \x20   --target=*) continue ;;\n\
         \x20   esac\n\
         \x20   set -- \"$@\" \"$word\"\n\
         done\n\
         exec {zig} cc -target {ZIG} -fno-sanitize=undefined \"$@\"\n"
    )
}

/// Passes on what a linker is asked for, but for what zig brings itself and links in its own order, and for where it is to
/// look: told to take libraries of the system, zig looks for those of Windows alone, and a crate's own are archives.
fn script(zig: &str) -> String {
    format!(
        "#!/bin/sh\n\
         for word do\n\
         \x20   shift\n\
         \x20   case $word in\n\
         \x20   -lmsvcrt | -lgcc_eh | -lgcc | -lgcc_s | -lmingw32 | -lmingwex | -nolibc) continue ;;\n\
         \x20   -Wl,-Bstatic | -Wl,-Bdynamic | -Wl,-O1 | -fuse-ld=* | *rsbegin.o | *rsend.o) continue ;;\n\
         \x20   -lstdc++) word=-lc++ ;;\n\
         \x20   esac\n\
         \x20   set -- \"$@\" \"$word\"\n\
         done\n\
         exec {zig} cc -target {ZIG} \"$@\"\n"
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    /// What a script passes on to zig.
    fn passed_on(script: &str, words: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("script.sh");
        fs::write(&path, script).unwrap();
        let output = Command::new("sh").arg(&path).args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn words_reach_the_compiler_but_for_a_target_that_zig_does_not_know() {
        let words = ["-c", "a b.c", "--target=aarch64-pc-windows-gnullvm", "-O2"];
        let said = passed_on(&compiler("echo"), &words);
        assert_eq!(said, "cc -target aarch64-windows-gnu -fno-sanitize=undefined -c a b.c -O2\n");
    }

    #[test]
    fn words_reach_the_linker_but_for_what_it_brings() {
        let words = [
            "-o",
            "a b.exe",
            "/x/rsbegin.o",
            "-Wl,-Bdynamic",
            "-lmsvcrt",
            "-lgcc_eh",
            "-lkernel32",
            "-lstdc++",
            "-Wl,-O1",
        ];
        let said = passed_on(&script("echo"), &words);
        assert_eq!(said, "cc -target aarch64-windows-gnu -o a b.exe -lkernel32 -lc++\n");
    }
}
