//! Campaigns that are killed on a real device: the same command continues on it without further words, and
//! touches no other one. Needs the right to make loop devices; says so and passes without.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::typed::Typist;

const SIZE: u64 = 32 << 20;

fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A blank loop device over a file of the test's own.
struct Loop {
    path: String,
    image: PathBuf,
}

impl Loop {
    fn blank(typist: &Typist) -> Option<Self> {
        let image = typist.path("image");
        std::fs::File::create(&image).unwrap().set_len(SIZE).unwrap();
        let Some(path) = run("losetup", &["--find", "--show", image.to_str().unwrap()]) else {
            fathom_skips::skipped("losetup makes no device here");
            return None;
        };
        Some(Self { path, image })
    }

    /// Takes its image away, if it is one of this test: while it is exchanged, the name is anybody's.
    fn detach(&self) {
        let name = self.path.trim_start_matches("/dev/");
        let behind =
            std::fs::read_to_string(format!("/sys/block/{name}/loop/backing_file")).unwrap_or_default();
        if behind.starts_with(self.image.parent().unwrap().to_str().unwrap()) {
            run("losetup", &["--detach", &self.path]);
        }
    }

    /// Puts an image behind the same name.
    fn attach(&self, image: &Path) {
        for _ in 0..100 {
            self.detach();
            if run("losetup", &[&self.path, image.to_str().unwrap()]).is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{} stays attached", self.path);
    }

    fn words(&self) -> String {
        format!("{}-{SIZE}", Path::new(&self.path).file_name().unwrap().to_str().unwrap())
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        self.detach();
    }
}

/// Kills a command at a moment, wherever it is then: time itself is tested, and no event may choose the place.
fn kill_after(typist: &Typist, command: &[&str], time: Duration) {
    let mut child = typist.start(command);
    std::thread::sleep(time);
    let _ = Command::new("kill").args(["-s", "KILL", &child.id().to_string()]).status();
    child.wait().unwrap();
}

/// Kills a command when it has saved so many runs.
fn kill_at_run(typist: &Typist, command: &[&str], runs: usize) {
    let mut child = typist.start(command);
    for _ in 0..200 {
        std::thread::sleep(Duration::from_millis(50));
        if stored(typist).0.len() >= runs {
            break;
        }
        if child.try_wait().unwrap().is_none() {
            continue;
        }
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        // Another test looks for a device that is free, which opens this one for a moment.
        assert!(said.contains("(losetup)"), "{command:?}: {ended:?}");
        child = typist.start(command);
    }
    let _ = Command::new("kill").args(["-s", "KILL", &child.id().to_string()]).status();
    child.wait().unwrap();
    assert_eq!(stored(typist).1[0]["state"], "unfinished", "{command:?}");
}

fn stored(typist: &Typist) -> (Vec<Value>, Value) {
    let list = typist.json(&["runs", "--all", "--json"]);
    let ids = list["runs"].as_array().unwrap().iter().map(|run| run["id"].clone()).collect();
    (ids, list["campaigns"].clone())
}

/// Kills a command at drawn moments until it has made enough steps, and lets it end.
fn continues(command: impl Fn(&str) -> Vec<String>) {
    let typist = Typist::new();
    let Some(device) = Loop::blank(&typist) else { return };
    let command = command(&device.path);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let seed = RandomState::new().hash_one("moments");
    let moments = [seed % 400, 300 + (seed >> 16) % 1500, 300 + (seed >> 32) % 1500];
    let mut kept: Vec<Value> = Vec::new();
    for moment in moments {
        kill_after(&typist, &command, Duration::from_millis(moment));
        if !typist.path("store").exists() {
            continue;
        }
        let (now, campaigns) = stored(&typist);
        assert!(kept.iter().all(|id| now.contains(id)), "{moments:?}: a finished step is lost");
        assert!(campaigns.as_array().unwrap().len() <= 1, "{moments:?}: {campaigns}");
        kept = now;
    }
    let mut answer = typist.run(&command);
    while answer.status == 3 && answer.stdout.contains("(losetup)") {
        answer = typist.run(&command);
    }
    assert_ne!(answer.status, 3, "{moments:?}: {answer:?}");
    let record = answer.json();
    assert_eq!(record["format"], "fathom.campaign", "{moments:?}: {answer:?}");
    let (now, campaigns) = stored(&typist);
    assert_eq!(campaigns.as_array().unwrap().len(), 1, "{moments:?}: {campaigns}");
    assert_eq!(campaigns[0]["state"], "finished", "{moments:?}");
    assert!(kept.iter().all(|id| now.contains(id)), "{moments:?}");

    // The next one finds the data of this one, and says so.
    let refused = typist.run(&command);
    assert_eq!(refused.status, 3, "{refused:?}");
    let id = record["id"].as_str().unwrap();
    assert!(refused.stdout.contains("holds data that fathom wrote"), "{refused:?}");
    assert!(refused.stdout.contains(&format!("(campaign {id})")), "{refused:?}");
    assert!(refused.stdout.contains(&format!("--destroy {}", device.words())), "{refused:?}");
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn sweep(device: &str, passes: u32) -> Vec<String> {
    words(&format!(
        "sweep --target {device} --rw randwrite --over depth=1,2 --passes {passes} --time 300ms --warmup 0s --json"
    ))
}

#[test]
fn a_killed_assessment_continues_over_its_own_data() {
    continues(|device| words(&format!("assess {device} --budget 6s --patterns randwrite-4k --json")));
}

#[test]
fn a_killed_sweep_continues_over_its_own_data() {
    // Longer than the moments at which it is killed: 16 runs of 0.3 s.
    continues(|device| sweep(device, 8));
}

#[test]
fn a_killed_comparison_continues_over_its_own_data() {
    continues(|device| {
        words(&format!(
            "compare {device} --a engine=uring --b engine=sync --patterns randwrite-4k --pairs 5 --time 300ms --warmup 0s --json"
        ))
    });
}

#[test]
fn a_campaign_never_continues_on_another_device_behind_the_same_name() {
    let typist = Typist::new();
    let Some(device) = Loop::blank(&typist) else { return };
    let mut command = sweep(&device.path, 3);
    command.extend(["--destroy".to_owned(), device.words()]);
    let mut command: Vec<&str> = command.iter().map(String::as_str).collect();
    kill_at_run(&typist, &command, 1);
    let (kept, campaigns) = stored(&typist);

    let other = typist.path("other");
    std::fs::write(&other, vec![0x33; SIZE as usize]).unwrap();
    device.attach(&other);
    let refused = typist.run(&command);
    assert_eq!(refused.status, 3, "{refused:?}");
    for said in ["not the device that the campaign began on", campaigns[0]["id"].as_str().unwrap(), "--anew"]
    {
        assert!(refused.stdout.contains(said), "{said}: {refused:?}");
    }
    assert!(std::fs::read(&other).unwrap().iter().all(|byte| *byte == 0x33), "its bytes are untouched");
    assert_eq!(stored(&typist), (kept.clone(), campaigns.clone()));

    // The first one continues where it was; anew, the other one is begun on, and the runs stay.
    device.attach(&device.image);
    kill_at_run(&typist, &command, kept.len() + 1);
    assert_eq!(stored(&typist).1.as_array().unwrap().len(), 1);
    device.attach(&other);
    command.push("--anew");
    let answer = typist.run(&command);
    assert_ne!(answer.status, 3, "{answer:?}");
    let (now, after) = stored(&typist);
    assert_eq!(after.as_array().unwrap().len(), 2);
    assert!(kept.iter().all(|id| now.contains(id)));
    assert!(after.as_array().unwrap().iter().any(|one| one["state"] == "given_up"), "{after}");
}

#[test]
fn a_refusal_for_another_reason_says_what_waits() {
    let typist = Typist::new();
    let Some(device) = Loop::blank(&typist) else { return };
    let command = sweep(&device.path, 3);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    kill_at_run(&typist, &command, 1);
    let (_, campaigns) = stored(&typist);
    if run("mkfs.ext4", &["-q", "-F", &device.path]).is_none() {
        fathom_skips::skipped("no mkfs.ext4");
        return;
    }
    let refused = typist.run(&command);
    assert_eq!(refused.status, 3, "{refused:?}");
    let waiting = format!("waiting to be continued: sweep {}", campaigns[0]["id"].as_str().unwrap());
    for said in ["ext4 file system", &waiting, &device.words()] {
        assert!(refused.stdout.contains(said), "{said}: {refused:?}");
    }
}
