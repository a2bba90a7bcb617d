//! An OpenSSH server with keys of its own, and an `ssh` that reaches it as `near`.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::ChildGuard;

const SERVER: &str = "/usr/sbin/sshd";
/// Its port, where the address is not this machine's own.
const PORT: u16 = 22_022;

/// A server that runs until it is dropped.
pub struct Server {
    _process: ChildGuard,
    folder: PathBuf,
}

impl Server {
    /// Starts one at an address; `before` stands before its command.
    ///
    /// # Errors
    /// Where OpenSSH is not here, or does not start.
    pub fn start(folder: &Path, address: &str, before: &[String]) -> Result<Self, String> {
        let failed = |error: std::io::Error| error.to_string();
        std::fs::create_dir_all(folder.join("bin")).map_err(failed)?;
        let at = |name: &str| folder.join(name).display().to_string();
        for key in ["host", "user"] {
            let made =
                Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &at(key)]).status();
            if !made.is_ok_and(|status| status.success()) || !Path::new(SERVER).exists() {
                return Err("no OpenSSH server and client".to_owned());
            }
        }
        let port = if address == "127.0.0.1" { free_port()? } else { PORT };
        let server = format!(
            "Port {port}\nListenAddress {address}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nStrictModes no\nUsePAM no\n\
             PermitRootLogin yes\nPasswordAuthentication no\nMaxStartups 100\n",
            at("host"),
            at("user.pub")
        );
        let key = std::fs::read_to_string(at("host.pub")).map_err(failed)?;
        let client = format!(
            "Host near\n  HostName {address}\n  Port {port}\n  IdentityFile {}\n  IdentitiesOnly yes\n  UserKnownHostsFile {}\n  \
             GlobalKnownHostsFile /dev/null\n",
            at("user"),
            at("known")
        );
        let ssh = format!("#!/bin/sh\nexec /usr/bin/ssh -F '{}' \"$@\"\n", at("ssh_config"));
        for (name, text) in [
            ("sshd_config", server),
            ("known", format!("[{address}]:{port} {key}")),
            ("ssh_config", client),
            ("bin/ssh", ssh),
        ] {
            std::fs::write(at(name), text).map_err(failed)?;
        }
        let made = Command::new("chmod").args(["755", &at("bin/ssh")]).status().map_err(failed)?;
        let mut words = before.to_vec();
        words.extend([SERVER, "-D", "-e", "-f", &at("sshd_config")].map(str::to_owned));
        let process = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let server = Self { _process: ChildGuard(process), folder: folder.to_owned() };
        let place: SocketAddr = format!("{address}:{port}").parse().map_err(|_| "no address".to_owned())?;
        for _ in 0..200 {
            if made.success() && TcpStream::connect_timeout(&place, Duration::from_millis(200)).is_ok() {
                return Ok(server);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(format!("no OpenSSH server that starts at {address}"))
    }

    /// A search path on which its `ssh` is the first.
    pub fn path(&self) -> String {
        format!("{}:{}", self.folder.join("bin").display(), std::env::var("PATH").unwrap_or_default())
    }
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener.map(|address| address.port()).map_err(|error| error.to_string())
}
