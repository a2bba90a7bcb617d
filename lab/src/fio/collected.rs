//! Job files of public repositories: the list is the lab's, the files stay where they were found.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::teardown::tool;
use super::shared_job::Job;
use super::shorten::shorten;

/// Where one was found, and its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectedFile {
    pub repository: String,
    pub path: String,
    pub commit: String,
    pub sha256: String,
}

/// The list, a line each: repository, path, commit and SHA-256, parted by spaces.
pub fn list() -> Vec<CollectedFile> {
    let lines = include_str!("collected.txt").lines().filter(|line| !line.starts_with('#'));
    let found = lines.filter_map(|line| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let (repository, path, commit) = (words.next()?, words.next()?, words.next()?);
        Some(CollectedFile { repository, path, commit, sha256: words.next()? })
    });
    found.collect()
}

impl CollectedFile {
    /// A name to be typed.
    pub fn name(&self) -> String {
        format!("{}:{}", self.repository, self.path)
    }

    fn place(&self, folder: &Path) -> PathBuf {
        folder.join(self.repository.replace('/', "+")).join(&self.path)
    }

    /// The job, from `folder`, and from the network where it is not there and `fetch` is wanted.
    ///
    /// # Errors
    /// Why it cannot be had, or is left out.
    pub fn job(&self, folder: &Path, fetch: bool) -> Result<Job, String> {
        let place = self.place(folder);
        if fetch && !place.exists() {
            self.fetch(&place)?;
        }
        let bytes = fs::read(&place).map_err(|error| format!("{}: {error}", place.display()))?;
        let digest = tool("sha256sum", &[&place.display().to_string()])?;
        if digest.split_whitespace().next() != Some(self.sha256.as_str()) {
            return Err(format!("{}: its SHA-256 is another one", place.display()));
        }
        let text = shorten(&String::from_utf8_lossy(&bytes))?;
        let pace = Job::pace_of(&text);
        let origin = Some(format!("{} {} of {}", self.repository, self.path, self.commit));
        Ok(Job { name: self.name(), text, arguments: Vec::new(), files: Vec::new(), pace, origin })
    }

    fn fetch(&self, place: &Path) -> Result<(), String> {
        let folder = place.parent().ok_or("no folder")?;
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let address =
            format!("https://raw.githubusercontent.com/{}/{}/{}", self.repository, self.commit, self.path);
        let status = Command::new("curl")
            .args(["--silent", "--show-error", "--fail", "--location", "--max-time", "30", "--output"])
            .arg(place)
            .arg(&address)
            .status()
            .map_err(|error| format!("curl cannot be started: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("curl could not get {address}")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_each_file_once_by_commit_and_digest() {
        let list = list();
        assert!(list.len() >= 30, "{}", list.len());
        let is_hex =
            |text: &str, length: usize| text.len() == length && text.chars().all(|c| c.is_ascii_hexdigit());
        for found in &list {
            assert!(is_hex(&found.commit, 40) && is_hex(&found.sha256, 64), "{}", found.name());
            assert_eq!(found.repository.split('/').count(), 2);
        }
        let digests: std::collections::BTreeSet<&str> =
            list.iter().map(|found| found.sha256.as_str()).collect();
        assert_eq!(digests.len(), list.len());
    }

    #[test]
    fn a_file_of_another_content_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let found = list().remove(0);
        assert!(found.job(folder.path(), false).unwrap_err().contains("No such file"));
        let place = found.place(folder.path());
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, "[a]\nrw=read\n").unwrap();
        assert!(found.job(folder.path(), false).unwrap_err().contains("another one"));
    }
}
