//! Clients by OpenSSH: a server of the test's own on the loopback, and the ordinary ssh.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fathom_record::parse_run;
use fathom_record::run_record::RunEnding;

use crate::clients::Stopwatch;

const FATHOM: &str = env!("CARGO_BIN_EXE_fathom");
const SERVER: &str = "/usr/sbin/sshd";

/// A server on the loopback with a key of its own, and what its clients need; ended when it is dropped.
struct Server {
    folder: tempfile::TempDir,
    process: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn key(path: &Path) -> bool {
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(path).status();
    made.is_ok_and(|status| status.success())
}

impl Server {
    /// `None` where there is no server that starts, which is said.
    fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        if !Path::new(SERVER).exists() || !key(&at("host")) || !key(&at("user")) {
            fathom_skips::skipped("no OpenSSH server and client");
            return None;
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let show = |name: &str| at(name).display().to_string();
        let server = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nPidFile {}\nStrictModes no\nUsePAM no\n\
             PermitRootLogin yes\nPasswordAuthentication no\n",
            show("host"),
            show("user.pub"),
            show("pid")
        );
        std::fs::write(at("sshd_config"), server).unwrap();
        let host_key = std::fs::read_to_string(at("host.pub")).unwrap();
        std::fs::write(at("known"), format!("[127.0.0.1]:{port} {host_key}")).unwrap();
        let mut client = String::new();
        for (name, known) in [("near", "known"), ("unknown", "nobody")] {
            writeln!(
                client,
                "Host {name}\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {}\n  IdentitiesOnly yes\n  UserKnownHostsFile {}\n  \
                 GlobalKnownHostsFile /dev/null",
                show("user"),
                show(known)
            )
            .unwrap();
        }
        std::fs::write(at("ssh_config"), client).unwrap();
        // The ordinary ssh, with this configuration in place of the user's.
        std::fs::create_dir(at("bin")).unwrap();
        let ssh = format!("#!/bin/sh\nexec /usr/bin/ssh -F '{}' \"$@\"\n", show("ssh_config"));
        std::fs::write(at("bin/ssh"), ssh).unwrap();
        assert!(Command::new("chmod").arg("755").arg(at("bin/ssh")).status().unwrap().success());
        let process = Command::new(SERVER)
            .args(["-D", "-e", "-f"])
            .arg(at("sshd_config"))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Self { folder, process };
        let clock = Stopwatch::start();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            if clock.seconds() > 10.0 || server.process.try_wait().unwrap().is_some() {
                fathom_skips::skipped("no OpenSSH server that starts here");
                return None;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    fn run(&self, hosts: [&str; 2]) -> (Vec<u8>, String) {
        self.run_with(hosts, &format!("program = \"{FATHOM}\""))
    }

    /// With a line more for each client.
    fn run_with(&self, hosts: [&str; 2], more: &str) -> (Vec<u8>, String) {
        let file = self.folder.path().join("clients.toml");
        let client = |(number, host): (usize, &str)| {
            format!("[[client]]\nname = \"c{number}\"\nreach = \"ssh:{host}\"\n{more}\n")
        };
        let text: String = hosts.into_iter().enumerate().map(client).collect();
        std::fs::write(&file, text).unwrap();
        let path = format!(
            "{}:{}",
            self.folder.path().join("bin").display(),
            std::env::var("PATH").unwrap_or_default()
        );
        let output = Command::new(FATHOM)
            .args([
                "run", "--target", "null:", "--rate", "500", "--time", "2s", "--warmup", "1s", "--quiet",
                "--json",
            ])
            .arg("--clients")
            .arg(&file)
            .env("PATH", path)
            .env("FATHOM_STORE", self.folder.path().join("runs.sqlite"))
            .output()
            .unwrap();
        (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[test]
fn two_clients_by_ssh_keep_their_stated_skew() {
    let Some(server) = Server::start() else { return };
    let (printed, said) = server.run(["near", "near"]);
    let sum = parse_run(&printed).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(sum.ending, RunEnding::Complete);
    let facts = sum.clients.as_deref().unwrap();
    // Both are this machine, whose clock is one: the difference of the two offsets is all skew.
    let bound = facts.skew_bound_ns.unwrap();
    let [a, b] = facts.clients.as_slice() else { panic!("two clients") };
    assert_eq!((a.reach.as_str(), b.name.as_str()), ("ssh:near", "c1"));
    assert!(bound < 1_000_000_000, "{bound}");
    // What each took to begin comes on top.
    let spans: Vec<_> = facts.clients.iter().map(|client| client.start.unwrap()).collect();
    let spread = spans.iter().map(|span| span.to_ns).max().unwrap()
        - spans.iter().map(|span| span.from_ns).min().unwrap();
    assert_eq!(facts.start_bound_ns, Some(bound + spread));
    assert!(spans.iter().all(|span| span.from_ns <= span.to_ns && span.to_ns < 2_000_000_000), "{spans:?}");
    assert!((sum.summary.operations_per_s() / 1000.0 - 1.0).abs() < 0.05);
}

#[test]
fn a_host_whose_key_is_not_known_is_refused_by_ssh_and_named() {
    let Some(server) = Server::start() else { return };
    let (_, said) = server.run(["near", "unknown"]);
    let words: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("client c1") && words.contains("Host key verification failed"), "{said}");
}

/// Folders of copies that the other end could have; other tests may have some for a while.
fn copies() -> Vec<std::path::PathBuf> {
    let home = std::env::var("HOME").unwrap_or_default();
    let is_copy = |path: &std::path::PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_prefix("fathom-")
            .is_some_and(|drawn| drawn.len() == 16 && drawn.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    [Path::new(&home).join(".cache"), "/tmp".into(), "/dev/shm".into()]
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()).filter(is_copy).collect::<Vec<_>>())
        .collect()
}

#[test]
fn this_very_program_is_copied_by_ssh_and_nothing_of_it_stays() {
    let Some(server) = Server::start() else { return };
    let (printed, said) = server.run_with(["near", "near"], "push = true");
    let sum = parse_run(&printed).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(sum.ending, RunEnding::Complete);
    let facts = sum.clients.as_deref().unwrap();
    assert_eq!((facts.clients.len(), facts.clients[0].version.as_str()), (2, env!("CARGO_PKG_VERSION")));
    let clock = Stopwatch::start();
    while !copies().is_empty() {
        assert!(clock.seconds() < 30.0, "left: {:?}", copies());
        std::thread::sleep(Duration::from_millis(100));
    }
    // Nobody takes it in where ssh reaches nobody.
    let (_, said) = server.run_with(["near", "unknown"], "push = true");
    let words: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("client c1") && words.contains("Host key verification failed"), "{said}");
}
