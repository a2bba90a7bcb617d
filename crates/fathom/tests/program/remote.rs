//! Generators on another machine, which is this one: a server of fio's, and ssh with keys and a folder of the test's own.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fathom_skips::skipped;

use crate::typed::Typist;

/// Ends its process with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Starts a server, and waits until it listens; nothing where it does not.
fn started(mut command: Command, port: u16) -> Option<Server> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let server = Server(quiet.spawn().ok()?);
    for _ in 0..200 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return Some(server);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    None
}

#[test]
fn a_server_of_fio_runs_a_plan() {
    let typist = Typist::new();
    let port = free_port();
    let mut command = Command::new("fio");
    command.arg(format!("--server=127.0.0.1,{port}")).current_dir(typist.folder());
    let Some(_server) = started(command, port) else {
        return skipped("no fio is installed, or its server does not start");
    };
    let data = typist.path("data.bin");
    fs::write(&data, vec![7; 4 << 20]).unwrap();
    let (engine, target) = (format!("fio@127.0.0.1:{port}"), data.display().to_string());
    let plan = ["--bs", "4k", "--time", "1s", "--warmup", "0s", "--depth", "4"];
    let run = |more: &[&str]| {
        let named = ["run", "--engine", &engine, "--target", &target];
        typist.run(&[&named, &plan[..], more].concat())
    };
    let answer = run(&["--rw", "randread", "--size", "4MiB", "--json"]);
    assert!(answer.status <= 1, "{answer:?}");
    let record = answer.json();
    assert_eq!(record["tool"]["name"], "fio", "{record}");
    let read = &record["summary"]["directions"][0];
    let (operations, bytes) = (read["operations"].as_u64().unwrap(), read["bytes"].as_u64().unwrap());
    assert!(operations > 100 && bytes == operations * 4096, "{read}");
    assert!(read["completion"]["quantiles"].as_array().is_some_and(|all| all.len() > 5), "{read}");
    assert_eq!(record["workload"]["depth"], 4);

    // By itself fio makes a file anew that is shorter than the plan, also to read it.
    let longer = run(&["--rw", "randread", "--size", "16MiB"]);
    assert_eq!(longer.status, 1, "{longer:?}");
    let said = longer.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("FAILED") && said.contains("a target that is shorter than the plan"), "{longer:?}");
    assert_eq!(fs::read(&data).unwrap(), vec![7; 4 << 20]);

    let refused = run(&["--rw", "randwrite", "--size", "4MiB"]);
    assert_eq!(refused.status, 3, "{refused:?}");
    assert!(refused.stderr.contains("--destroy"), "{refused:?}");
}

#[test]
fn a_server_that_is_not_there_is_told() {
    if Command::new("fio").arg("--version").output().is_err() {
        return skipped("no fio is installed");
    }
    let typist = Typist::new();
    let engine = format!("fio@127.0.0.1:{}", free_port());
    let plan = ["run", "--engine", &engine, "--target", "/x", "--size", "4MiB", "--time", "1s", "--bs", "4k"];
    let answer = typist.run(&plan);
    assert_eq!(answer.status, 1, "{answer:?}");
    assert!(answer.stderr.contains("fio"), "{answer:?}");
}

/// An ssh server that lets the test in with a key of its own, and the words that reach it.
struct Ssh {
    _server: Server,
    words: String,
}

impl Ssh {
    fn start(folder: &Path) -> Option<Self> {
        let daemon =
            ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].map(PathBuf::from).into_iter().find(|d| d.exists())?;
        // As root the daemon wants a folder that only its package's service makes.
        let _ = fs::create_dir_all("/run/sshd");
        for name in ["host_key", "user_key"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(folder.join(name))
                .status();
            made.ok().filter(|status| status.success())?;
        }
        fs::copy(folder.join("user_key.pub"), folder.join("authorized_keys")).ok()?;
        let port = free_port();
        let at = |name: &str| folder.join(name).display().to_string();
        let settings = format!(
            "ListenAddress 127.0.0.1:{port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile {}\nStrictModes no\nUsePAM no\n\
             PasswordAuthentication no\nPermitRootLogin prohibit-password\n",
            at("host_key"),
            at("authorized_keys"),
            at("sshd.pid"),
        );
        fs::write(folder.join("sshd_config"), settings).ok()?;
        let mut command = Command::new(daemon);
        command.args(["-D", "-e", "-f"]).arg(folder.join("sshd_config"));
        let server = started(command, port)?;
        let words = format!(
            "ssh -F /dev/null -p {port} -i {} -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile={} 127.0.0.1",
            at("user_key"),
            at("known_hosts"),
        );
        let mut reach = Command::new("ssh");
        reach.args(words.split(' ').skip(1)).arg("true").stdin(Stdio::null());
        reach.output().ok().filter(|output| output.status.success())?;
        Some(Self { _server: server, words })
    }
}

/// What stands for diskspd there keeps its arguments and prints a result of diskspd's.
fn stand_in(folder: &Path) -> PathBuf {
    let result = folder.join("result.txt");
    fs::write(&result, include_str!("../../../tools/tests/generators/own/diskspd.txt")).unwrap();
    let program = folder.join("diskspd");
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}'\ncat '{}'\n",
        folder.join("arguments.txt").display(),
        result.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

#[test]
fn diskspd_is_driven_through_ssh() {
    let typist = Typist::new();
    let Some(ssh) = Ssh::start(typist.folder()) else {
        return skipped("no ssh server starts here (apt-get install openssh-server)");
    };
    let program = stand_in(typist.folder());
    let engine = format!("diskspd:{} {}", ssh.words, program.display());
    let flags = ["-b4K", "-r", "-o8", "-t3", "-d3", "-W1", "-Su", "-L", "there.dat"];
    let answer = typist.run(&[&["diskspd", "--engine", &engine][..], &flags].concat());
    assert!(answer.status <= 1, "{answer:?}");
    assert!(answer.stdout.contains("Command Line: diskspd"), "{answer:?}");
    let told = fs::read_to_string(typist.path("arguments.txt")).unwrap();
    assert_eq!(told.lines().collect::<Vec<_>>(), flags, "the flags arrive as they were typed");
    let record = typist.json(&["show", "last", "--json"]);
    assert_eq!(record["tool"]["name"], "diskspd", "{record}");
    assert!(
        record["telemetry"]["absent"][0]["reason"].as_str().unwrap().contains("another machine"),
        "{record}"
    );

    let plan = "--rw randread --addresses independent --bs 4k --depth 8 --jobs 3 --time 3s --warmup 1s";
    let plan: Vec<&str> = plan.split(' ').collect();
    let answer =
        typist.run(&[&["run", "--engine", &engine, "--target", "there.dat"][..], &plan[..]].concat());
    assert!(answer.status <= 1, "{answer:?}");
    let told = fs::read_to_string(typist.path("arguments.txt")).unwrap();
    assert!(told.lines().any(|word| word.starts_with("-b4")) && told.ends_with("there.dat\n"), "{told}");
}

#[test]
fn a_host_that_ssh_does_not_reach_is_told_in_its_words() {
    if Command::new("ssh").arg("-V").output().is_err() {
        return skipped("no ssh is installed");
    }
    let typist = Typist::new();
    let engine =
        format!("diskspd:ssh -F /dev/null -o BatchMode=yes -p {} 127.0.0.1 diskspd.exe", free_port());
    let answer = typist.run(&["diskspd", "--engine", &engine, "-b4K", "-d1", "there.dat"]);
    assert_eq!(answer.status, 1, "{answer:?}");
    assert!(answer.stderr.contains("onnection refused"), "{answer:?}");
}
