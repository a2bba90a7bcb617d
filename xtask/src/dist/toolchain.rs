//! The C compiler and the linker that a static program is built with.

use std::process::{Command, Stdio};

/// A program that may lie anywhere in memory lists what to add its place to: a bit each and not three words, which is 1.1 MB
/// less. musl reads that from 1.2.4 on; for glibc it would leave out systems before 2.36. Of functions that came out alike
/// one stays, unless somebody may compare where they lie.
const PACKED: &str = "-Clink-arg=--pack-dyn-relocs=relr -Clink-arg=--icf=safe";

/// What Cargo is told beside the target, as variables of the environment.
type Variables = Vec<(String, String)>;

/// A C compiler with musl's headers for the target, and the linker that comes with Rust, with the C library that comes with
/// the target. What the environment names already is left alone; for other targets nothing is needed.
///
/// # Errors
/// Where there is no such compiler: what to install.
pub fn variables(target: &str) -> Result<Variables, String> {
    if !target.ends_with("-musl") {
        return Ok(Vec::new());
    }
    let named = |name: &str| std::env::var_os(name).is_some();
    choose(target, std::env::consts::ARCH, &named, &answers)
}

/// Whether a command is there.
fn answers(words: &[&str]) -> bool {
    let [program, more @ ..] = words else { return false };
    let mut command = Command::new(program);
    command.args(more).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn choose(
    target: &str,
    own: &str,
    named: &dyn Fn(&str) -> bool,
    answers: &dyn Fn(&[&str]) -> bool,
) -> Result<Variables, String> {
    let processor = target.split('-').next().unwrap_or_default();
    let lower = target.replace('-', "_");
    let mut variables = Variables::new();
    let (compiler, archiver) = (format!("CC_{lower}"), format!("AR_{lower}"));
    if !named(&compiler) {
        let found = compiler_of(processor, own, answers).ok_or_else(|| {
            let package = if processor == own { "musl-tools, or " } else { "" };
            format!("no C compiler for {target}: install {package}zig (pip install ziglang), or name one in {compiler}")
        })?;
        variables.push((compiler, found.compiler));
        if let Some(command) = found.archiver.filter(|_| !named(&archiver)) {
            variables.push((archiver, command));
        }
    }
    let prefix = format!("CARGO_TARGET_{}", lower.to_uppercase());
    let (linker, flags) = (format!("{prefix}_LINKER"), format!("{prefix}_RUSTFLAGS"));
    if !named(&linker) {
        variables.push((linker, "rust-lld".to_owned()));
        if !named(&flags) {
            variables.push((flags, PACKED.to_owned()));
        }
    }
    Ok(variables)
}

struct ToolchainPaths {
    compiler: String,
    /// Where the system's own may not know the objects.
    archiver: Option<String>,
}

fn compiler_of(processor: &str, own: &str, answers: &dyn Fn(&[&str]) -> bool) -> Option<ToolchainPaths> {
    let mut names = vec![format!("{processor}-linux-musl-gcc")];
    if processor == own {
        names.push("musl-gcc".to_owned());
    }
    if let Some(compiler) = names.into_iter().find(|name| answers(&[name, "--version"])) {
        return Some(ToolchainPaths { compiler, archiver: None });
    }
    let zig = [&["zig"] as &[&str], &["python3", "-m", "ziglang"]];
    let zig = zig.into_iter().find(|words| answers(&[words, &["version"] as &[&str]].concat()))?.join(" ");
    Some(ToolchainPaths {
        // zig checks for undefined behaviour with calls into a library that is not linked.
        compiler: format!("{zig} cc -target {processor}-linux-musl -fno-sanitize=undefined"),
        archiver: Some(format!("{zig} ar")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARM: &str = "aarch64-unknown-linux-musl";
    const X86: &str = "x86_64-unknown-linux-musl";

    fn names(variables: &Variables) -> Vec<(&str, &str)> {
        variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    #[test]
    fn another_processor_is_never_compiled_for_with_this_one_s_compiler() {
        let only = |name: &'static str| move |words: &[&str]| words[0] == name;
        let none = |_: &str| false;
        let own = choose(X86, "x86_64", &none, &only("musl-gcc")).unwrap();
        assert_eq!(
            names(&own),
            [
                ("CC_x86_64_unknown_linux_musl", "musl-gcc"),
                ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld"),
                ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS", PACKED),
            ]
        );
        let refused = choose(ARM, "x86_64", &none, &only("musl-gcc")).unwrap_err();
        assert!(
            refused.contains("CC_aarch64_unknown_linux_musl") && !refused.contains("musl-tools"),
            "{refused}"
        );
        let cross = choose(ARM, "x86_64", &none, &only("python3")).unwrap();
        assert_eq!(
            names(&cross),
            [
                (
                    "CC_aarch64_unknown_linux_musl",
                    "python3 -m ziglang cc -target aarch64-linux-musl -fno-sanitize=undefined"
                ),
                ("AR_aarch64_unknown_linux_musl", "python3 -m ziglang ar"),
                ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld"),
                ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUSTFLAGS", PACKED),
            ]
        );
        let native = choose(ARM, "aarch64", &none, &only("musl-gcc")).unwrap();
        assert_eq!(names(&native)[0], ("CC_aarch64_unknown_linux_musl", "musl-gcc"));
        let other = |name: &str| name.ends_with("_LINKER");
        let named = choose(ARM, "aarch64", &other, &only("musl-gcc")).unwrap();
        assert_eq!(
            names(&named),
            [("CC_aarch64_unknown_linux_musl", "musl-gcc")],
            "its flags are of rust-lld"
        );
    }

    #[test]
    fn what_the_environment_names_is_left_alone() {
        assert_eq!(choose(ARM, "x86_64", &|_| true, &|_| false), Ok(Vec::new()));
    }
}
