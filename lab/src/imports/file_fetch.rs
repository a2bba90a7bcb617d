//! Where the files lie: `DIR/OWNER/NAME/PATH`, as they were published or as they are fetched.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::published_files::PublishedFile;

/// The file, if it is here and as it was published.
///
/// # Errors
/// Why it is not tried.
pub fn find(folder: &Path, file: &PublishedFile, may_fetch: bool) -> Result<PathBuf, String> {
    let path = folder.join(&file.repository).join(&file.path);
    if !path.is_file() {
        if !may_fetch {
            return Err("not here; --fetch gets it".to_owned());
        }
        fetch(file, &path)?;
    }
    let digest = digest(&path)?;
    if digest == file.sha256 {
        Ok(path)
    } else {
        Err(format!("another version is here, with SHA-256 {digest}"))
    }
}

fn fetch(file: &PublishedFile, path: &Path) -> Result<(), String> {
    let output = Command::new("curl")
        .args([
            "--silent",
            "--show-error",
            "--fail",
            "--location",
            "--max-time",
            "60",
            "--create-dirs",
            "--output",
        ])
        .arg(path)
        .arg(address(file))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("curl cannot be run: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

fn address(file: &PublishedFile) -> String {
    let kept = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let path: String = file
        .path
        .bytes()
        .map(|byte| if kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    format!("https://raw.githubusercontent.com/{}/{}/{path}", file.repository, file.commit)
}

/// By the system's own program, whichever of both it has.
fn digest(path: &Path) -> Result<String, String> {
    for (program, arguments) in [("sha256sum", [].as_slice()), ("shasum", ["-a", "256"].as_slice())] {
        let output = Command::new(program).args(arguments).arg(path).stdin(Stdio::null()).output();
        if let Some(output) = output.ok().filter(|output| output.status.success()) {
            let text = String::from_utf8_lossy(&output.stdout);
            // A backslash says that the name behind it is escaped.
            return Ok(text
                .trim_start_matches('\\')
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned());
        }
    }
    Err("neither sha256sum nor shasum gives its digest".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(sha256: &str) -> PublishedFile {
        PublishedFile {
            kind: "fio_log".to_owned(),
            repository: "a/b".to_owned(),
            path: "c 5%/d.log".to_owned(),
            commit: "0123".to_owned(),
            sha256: sha256.to_owned(),
            refusal: String::new(),
        }
    }

    #[test]
    fn addresses_are_escaped() {
        assert_eq!(address(&file("")), "https://raw.githubusercontent.com/a/b/0123/c%205%25/d.log");
    }

    #[test]
    fn a_file_of_another_version_is_not_tried() {
        let folder = tempfile::tempdir().unwrap();
        assert!(find(folder.path(), &file(""), false).unwrap_err().contains("--fetch"));
        let path = folder.path().join("a/b/c 5%");
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("d.log"), "").unwrap();
        if digest(&path.join("d.log")).is_err() {
            eprintln!("skipped: no program for SHA-256");
            return;
        }
        assert!(find(folder.path(), &file("0"), false).unwrap_err().contains("another version"));
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert!(find(folder.path(), &file(empty), false).is_ok());
    }
}
