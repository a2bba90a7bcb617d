//! Packages tried as somebody who has just fetched them would: unpacked by the usual tools into an empty folder, and the
//! program run with that folder as its whole world: no C library, no `/proc`, `/sys` or `/etc`, no `HOME`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

/// What is tried, and how its programs are run here.
pub struct Trial {
    /// Where the files of a release are.
    pub out: PathBuf,
    /// Empty, and gone afterwards.
    pub scratch: PathBuf,
    pub version: String,
    /// Debian's name of the packages' architecture, which is also the image's.
    pub architecture: &'static str,
    /// A program that runs those of another processor, which needs nothing beside itself.
    pub emulator: Option<PathBuf>,
}

/// Tools that a package is unpacked with.
const NEEDED: [(&str, &str); 3] = [("dpkg-deb", "the .deb"), ("skopeo", "the image"), ("umoci", "the image")];

impl Trial {
    /// Tries all; says what was not tried for lack of a tool.
    ///
    /// # Errors
    /// With the first that does not work: what was typed, and what came.
    pub fn run(&self, stem: &str, package: &str, image: &str) -> Result<(), String> {
        run(Command::new("sha256sum").args(["--quiet", "--check", "SHA256SUMS"]).current_dir(&self.out))?;
        println!("tried  checksums");
        self.archive(stem)?;
        let lacking: Vec<&str> =
            NEEDED.iter().map(|(tool, _)| *tool).filter(|tool| !is_there(tool)).collect();
        for (tool, what) in NEEDED.iter().filter(|(tool, _)| lacking.contains(tool)) {
            println!("skip   no {tool} to try {what} with");
        }
        if !lacking.contains(&"dpkg-deb") {
            self.package(package)?;
        }
        if !lacking.contains(&"skopeo") && !lacking.contains(&"umoci") {
            self.image(image)?;
        }
        Ok(())
    }

    fn archive(&self, stem: &str) -> Result<(), String> {
        let root = self.empty("archive")?;
        let file = self.out.join(format!("{stem}.tar.gz"));
        let start = now();
        run(Command::new("tar").arg("-xzf").arg(file).arg("-C").arg(&root))?;
        self.program(&root.join(stem), "/fathom", &[])?;
        println!("tried  archive: {:.1} s from unpacking to a first result", start.elapsed().as_secs_f64());
        Ok(())
    }

    fn package(&self, name: &str) -> Result<(), String> {
        let root = self.empty("package")?;
        let start = now();
        run(Command::new("dpkg-deb").arg("-x").arg(self.out.join(name)).arg(&root))?;
        self.program(&root, "/usr/bin/fathom", &[])?;
        println!("tried  {name}: {:.1} s from installing to a first result", start.elapsed().as_secs_f64());
        let page = root.join("usr/share/man/man1/fathom.1.gz");
        let text = run(Command::new("gzip").arg("-dc").arg(&page))?;
        let whole = text.contains(".TH fathom") && text.contains(".SH");
        if whole { Ok(()) } else { Err(format!("{}: not a manual page", page.display())) }
    }

    /// The image, with its own environment and entry point.
    fn image(&self, name: &str) -> Result<(), String> {
        let file = format!("oci-archive:{}", self.out.join(name).display());
        let told = run(Command::new("skopeo").args(["inspect", &file]))?;
        let told: Value = serde_json::from_str(&told).map_err(|error| format!("skopeo inspect: {error}"))?;
        if told["Architecture"] != self.architecture || told["Os"] != "linux" {
            return Err(format!("{name} is of {} {}", told["Os"], told["Architecture"]));
        }
        let (layout, bundle) = (self.empty("image")?.join("layout"), self.empty("bundle")?.join("unpacked"));
        let place = format!("{}:{}", layout.display(), self.version);
        run(Command::new("skopeo").args([
            "copy",
            "--quiet",
            "--insecure-policy",
            &file,
            &format!("oci:{place}"),
        ]))?;
        let mut unpack = Command::new("umoci");
        unpack.args(["unpack", "--image", &place]);
        if !is_root() {
            unpack.arg("--rootless");
        }
        run(unpack.arg(&bundle))?;
        let path = bundle.join("config.json");
        let config = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let config: Value =
            serde_json::from_slice(&config).map_err(|error| format!("{}: {error}", path.display()))?;
        let entry = config["process"]["args"][0].as_str().unwrap_or_default();
        let environment = config["process"]["env"].as_array().into_iter().flatten();
        let environment: Vec<(&str, &str)> =
            environment.filter_map(|word| word.as_str()?.split_once('=')).collect();
        self.program(&bundle.join("rootfs"), entry, &environment)?;
        println!("tried  {name}");
        Ok(())
    }

    /// Help, a first result and what the program says of the place, with `root` as its world.
    fn program(&self, root: &Path, program: &str, environment: &[(&str, &str)]) -> Result<(), String> {
        let call = |words: &[&str]| self.inside(root, program, words, environment);
        let named = call(&["--version"])?;
        if !named.contains(&self.version) {
            return Err(format!("{program} says {named:?}, not {}", self.version));
        }
        call(&["--help"])?;
        // A file is opened through /proc, which is not there; a simulated device needs nothing.
        let first =
            call(&["--store", "/runs.sqlite", "run", "--target", "sim:nvme", "--bs", "4k", "--time", "1s"])?;
        if !first.contains("IOPS") {
            return Err(format!("{program} run: no result: {first}"));
        }
        call(&["--store", "/runs.sqlite", "runs"])?;
        let told = call(&["--store", "/runs.sqlite", "doctor"])?;
        if told.contains("/proc") { Ok(()) } else { Err(format!("{program} doctor misses no /proc: {told}")) }
    }

    fn inside(
        &self,
        root: &Path,
        program: &str,
        words: &[&str],
        environment: &[(&str, &str)],
    ) -> Result<String, String> {
        // By its place: the path of the image is not that of this machine.
        let chroot =
            ["/usr/sbin/chroot", "/usr/bin/chroot"].into_iter().find(|path| Path::new(path).is_file());
        let chroot = chroot.ok_or("no chroot in /usr/sbin or /usr/bin")?;
        let mut command = Command::new(if is_root() { chroot } else { "/usr/bin/unshare" });
        if !is_root() {
            command.args(["--map-root-user", chroot]);
        }
        command.arg(root);
        if let Some(emulator) = &self.emulator {
            let copied = root.join("emulator");
            fs::copy(emulator, copied).map_err(|error| format!("{}: {error}", emulator.display()))?;
            command.arg("/emulator");
        }
        command.arg(program).args(words).env_clear().envs(environment.iter().copied());
        // Tools are found by the path; nothing else comes in.
        if !environment.iter().any(|(name, _)| *name == "PATH") {
            command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        }
        run(&mut command)
    }

    fn empty(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.scratch.join(name);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    }
}

/// What runs programs of this architecture on this machine: nothing for its own.
///
/// # Errors
/// Where it takes an emulator and there is none.
pub fn emulator(processor: &str) -> Result<Option<PathBuf>, String> {
    if processor == std::env::consts::ARCH {
        return Ok(None);
    }
    let name = format!("qemu-{processor}-static");
    let found = ["/usr/bin", "/usr/local/bin"].iter().map(|folder| Path::new(folder).join(&name));
    let found = found.into_iter().find(|path| path.is_file());
    found.map(Some).ok_or_else(|| format!("no {name} (Debian: qemu-user-static)"))
}

#[allow(clippy::disallowed_methods, reason = "how long somebody waits for a first result")]
fn now() -> Instant {
    Instant::now()
}

fn is_root() -> bool {
    let user = Command::new("id").arg("-u").output();
    user.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn is_there(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// What a command prints.
fn run(command: &mut Command) -> Result<String, String> {
    let typed = || format!("{command:?}").replace('"', "");
    let typed = typed();
    let output = command.output().map_err(|error| format!("{typed}: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(printed);
    }
    let error = String::from_utf8_lossy(&output.stderr);
    Err(format!("{typed}\n{}\n{}{}", output.status, printed, error.trim()))
}
