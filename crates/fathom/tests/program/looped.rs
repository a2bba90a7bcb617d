//! A loop device of a test's own. It needs root; a test that gets none says so and passes without.

use std::path::Path;
use std::process::Command;

use crate::typed::Typist;

const SIZE: u64 = 64 << 20;

/// A loop device over a file of the test's own, written in full.
pub struct Loop {
    pub path: String,
}

/// What a program prints, if it succeeds.
pub fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

impl Loop {
    pub fn make(typist: &Typist) -> Option<Self> {
        let image = typist.path("image");
        std::fs::write(&image, vec![0x5a; SIZE as usize]).unwrap();
        let path = run("losetup", &["--direct-io=on", "--find", "--show", image.to_str().unwrap()])?;
        let name = Path::new(&path).file_name()?.to_str()?;
        // What is merged differs with how busy the machine is.
        let kept = std::fs::write(format!("/sys/block/{name}/queue/nomerges"), "2").is_ok();
        let device = Self { path };
        kept.then_some(device)
    }

    /// What permits its loss: it has no serial number.
    pub fn words(&self) -> String {
        format!("{}-{SIZE}", Path::new(&self.path).file_name().unwrap().to_str().unwrap())
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        run("losetup", &["--detach", &self.path]);
    }
}
