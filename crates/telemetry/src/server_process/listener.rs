//! Which process listens on a TCP port, from `/proc/net/tcp` and what processes have open.

use crate::Root;

/// State of a socket that listens, as the kernel writes it.
const LISTENS: &str = "0A";

/// Who listens on a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listener {
    /// A process that may be looked at.
    Process {
        /// Its number.
        process: u32,
        /// Its name.
        name: String,
    },
    /// Somebody who cannot be seen: a process of another user, or the kernel itself.
    Unseen,
    /// Nobody.
    Nobody,
}

/// Who listens on this port of the machine.
pub fn listener(root: &Root, port: u16) -> Listener {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    let sockets: Vec<String> = tables
        .iter()
        .filter_map(|table| root.text(table))
        .flat_map(|table| sockets(&table, port).collect::<Vec<_>>())
        .collect();
    if sockets.is_empty() {
        return Listener::Nobody;
    }
    let processes = root.names("/proc");
    let numbers = processes.iter().filter_map(|name| name.parse::<u32>().ok());
    for process in numbers {
        let folder = format!("/proc/{process}/fd");
        let has = root.names(&folder).iter().any(|name| {
            let link = std::fs::read_link(root.path(format!("{folder}/{name}")));
            link.is_ok_and(|link| sockets.iter().any(|socket| link.as_os_str() == socket.as_str()))
        });
        if has {
            let name = root.text(format!("/proc/{process}/comm")).unwrap_or_default();
            return Listener::Process { process, name };
        }
    }
    Listener::Unseen
}

/// The sockets of a table that listen on a port, as links of descriptors name them.
fn sockets(table: &str, port: u16) -> impl Iterator<Item = String> {
    table.lines().skip(1).filter_map(move |line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let (_, own) = words.get(1)?.rsplit_once(':')?;
        let listens = *words.get(3)? == LISTENS && u16::from_str_radix(own, 16).ok()? == port;
        listens.then(|| format!("socket:[{}]", words.get(9).copied().unwrap_or_default()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    fn line(port: u16, state: &str, inode: u32) -> String {
        format!(
            "   0: 0100007F:{port:04X} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000     0        0 {inode} 1 0\n"
        )
    }

    #[test]
    fn sockets_that_listen_on_the_port_are_found_and_connections_of_it_are_not() {
        let table =
            format!("{HEAD}{}{}{}x\n", line(4420, "0A", 71), line(4420, "01", 72), line(22, "0A", 73));
        assert_eq!(sockets(&table, 4420).collect::<Vec<_>>(), ["socket:[71]"]);
        assert_eq!(sockets("", 4420).count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn the_process_that_has_the_socket_open_listens() {
        let tree = tempfile::tempdir().unwrap();
        let root = Root::at(tree.path());
        assert_eq!(listener(&root, 4420), Listener::Nobody);
        let at = |name: &str| tree.path().join(name);
        std::fs::create_dir_all(at("proc/net")).unwrap();
        std::fs::write(at("proc/net/tcp6"), format!("{HEAD}{}", line(4420, "0A", 71))).unwrap();
        assert_eq!(listener(&root, 4420), Listener::Unseen);
        for (process, socket) in [(5, 70), (6, 71)] {
            std::fs::create_dir_all(at(&format!("proc/{process}/fd"))).unwrap();
            let link = at(&format!("proc/{process}/fd/3"));
            std::os::unix::fs::symlink(format!("socket:[{socket}]"), link).unwrap();
        }
        std::fs::write(at("proc/6/comm"), "fathom\n").unwrap();
        let found = Listener::Process { process: 6, name: "fathom".to_owned() };
        assert_eq!(listener(&root, 4420), found);
    }
}
