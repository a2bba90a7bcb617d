//! The name of a namespace on the network: `nvme+tcp://HOST[:PORT]/NQN[/NSID][?KEY=VALUE&...]`.

use std::fmt;
use std::str::FromStr;

use fathom_spec::fabrics::{NAME_BYTES, PORT};

/// What stands before the host.
pub const SCHEME: &str = "nvme+tcp:";

/// A namespace of a subsystem at an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FabricName {
    /// Host name or address, IPv6 without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Name of the subsystem.
    pub subsystem: String,
    /// Namespace; absent: the only one.
    pub namespace: Option<u32>,
    /// What else is asked of the connection.
    pub choices: Choices,
}

/// What a name asks of the connection besides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Choices {
    /// Name of the host (`hostnqn`); absent: this machine's.
    pub host: Option<String>,
    /// Digests of headers (`hdgst=on`).
    pub header_digest: bool,
    /// Digests of data (`ddgst=on`).
    pub data_digest: bool,
    /// Seconds without a sign of life after which the controller lets go (`kato`), 1 to 600; absent: 5.
    pub keep_alive_s: Option<u32>,
    /// Seconds for which a lost connection is made again (`reconnect`), 1 to 3600; absent: a loss ends the run.
    pub reconnect_s: Option<u32>,
}

/// Longest keep-alive time that is taken, in seconds.
const MOST_KEEP_ALIVE_S: u32 = 600;
/// Longest time for which a lost connection is made again, in seconds.
const MOST_RECONNECT_S: u32 = 3600;

/// Why a text is not such a name, and what to type.
/// Its own type: this room is below record, which has the one shape of errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidName {
    /// Why.
    pub cause: String,
    /// What to type.
    pub remedy: String,
}

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.cause, self.remedy)
    }
}

impl std::error::Error for InvalidName {}

const EXAMPLE: &str = "type e.g. nvme+tcp://10.0.0.5/nqn.2014-08.org.nvmexpress:uuid:...; `fathom discover HOST` lists \
                       the names";

fn refuse(cause: impl Into<String>) -> InvalidName {
    InvalidName { cause: cause.into(), remedy: EXAMPLE.to_owned() }
}

impl FromStr for FabricName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let rest = text.strip_prefix(SCHEME).and_then(|rest| rest.strip_prefix("//"));
        let rest = rest.ok_or_else(|| refuse("it does not begin with nvme+tcp://"))?;
        let (place, path) = rest.split_once('/').ok_or_else(|| refuse("the subsystem's NQN is missing"))?;
        let (host, port) = host_and_port(place, PORT)?;
        let (path, keys) = path.split_once('?').map_or((path, None), |(path, keys)| (path, Some(keys)));
        let (subsystem, last) = match path.rsplit_once('/') {
            Some((subsystem, last)) => (subsystem, Some(last)),
            None => (path, None),
        };
        let mut id = last.map(namespace).transpose()?;
        let mut choices = Choices::default();
        let mut seen: Vec<&str> = Vec::new();
        for text in keys.into_iter().flat_map(|keys| keys.split('&')) {
            let (key, value) = text.split_once('=').unwrap_or((text, ""));
            if seen.contains(&key) {
                return Err(refuse(format!("key `{key}` is given twice")));
            }
            seen.push(key);
            match key {
                "ns" | "nsid" if id.is_some() => return Err(refuse("the namespace is named twice")),
                "ns" | "nsid" => id = Some(namespace(value)?),
                _ => choices.take(key, value)?,
            }
        }
        judge(subsystem)?;
        Ok(Self { host, port, subsystem: subsystem.to_owned(), namespace: id, choices })
    }
}

impl Choices {
    /// Takes one key of a name.
    fn take(&mut self, key: &str, value: &str) -> Result<(), InvalidName> {
        match key {
            "hostnqn" => {
                judge(value)?;
                self.host = Some(value.to_owned());
            }
            "hdgst" => self.header_digest = is_on(key, value)?,
            "ddgst" => self.data_digest = is_on(key, value)?,
            "kato" => self.keep_alive_s = Some(seconds(key, value, MOST_KEEP_ALIVE_S)?),
            "reconnect" => self.reconnect_s = Some(seconds(key, value, MOST_RECONNECT_S)?),
            "psk" => {
                return Err(InvalidName {
                    cause: "fathom has no TLS of its own".to_owned(),
                    remedy: "let the kernel connect with TLS and name the device".to_owned(),
                });
            }
            _ => {
                return Err(InvalidName {
                    cause: format!("unknown key `{key}`"),
                    remedy: "the keys are nsid, hostnqn, hdgst, ddgst, kato and reconnect".to_owned(),
                });
            }
        }
        Ok(())
    }

    /// As it is typed behind a name, each key once, in one order.
    fn words(&self) -> Vec<String> {
        let host = self.host.as_ref().map(|host| format!("hostnqn={host}"));
        let header = self.header_digest.then(|| "hdgst=on".to_owned());
        let data = self.data_digest.then(|| "ddgst=on".to_owned());
        let keep_alive = self.keep_alive_s.map(|seconds| format!("kato={seconds}"));
        let reconnect = self.reconnect_s.map(|seconds| format!("reconnect={seconds}"));
        [host, header, data, keep_alive, reconnect].into_iter().flatten().collect()
    }
}

fn seconds(key: &str, value: &str, most: u32) -> Result<u32, InvalidName> {
    let seconds = value.parse().ok().filter(|seconds| (1..=most).contains(seconds));
    seconds.ok_or_else(|| refuse(format!("{key}=`{value}` is not 1 to {most} seconds")))
}

fn is_on(key: &str, value: &str) -> Result<bool, InvalidName> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(refuse(format!("{key}=`{value}` is neither on nor off"))),
    }
}

fn judge(subsystem: &str) -> Result<(), InvalidName> {
    if subsystem.is_empty() {
        return Err(refuse("the subsystem's NQN is missing"));
    }
    if subsystem.len() > NAME_BYTES {
        return Err(refuse(format!("the NQN is longer than {NAME_BYTES} bytes")));
    }
    if subsystem.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, '/' | '?' | '%' | '&')) {
        return Err(refuse("the NQN has characters that no NQN has"));
    }
    Ok(())
}

fn namespace(text: &str) -> Result<u32, InvalidName> {
    match text.parse() {
        Ok(0 | 0xffff_ffff) | Err(_) => {
            Err(refuse(format!("`{text}` is not a namespace: they count from 1")))
        }
        Ok(id) => Ok(id),
    }
}

/// A host with its port, or with `port` where none is named.
///
/// # Errors
/// Where it is neither a name nor an address.
pub fn host_and_port(text: &str, port: u16) -> Result<(String, u16), InvalidName> {
    let (host, named) = if let Some(rest) = text.strip_prefix('[') {
        let (host, rest) =
            rest.split_once(']').ok_or_else(|| refuse("the bracket of the address is not closed"))?;
        let named = match rest.strip_prefix(':') {
            None if rest.is_empty() => None,
            None => return Err(refuse("something other than a port follows the address")),
            Some(port) => Some(port),
        };
        if host.parse::<std::net::Ipv6Addr>().is_err() {
            return Err(refuse(format!("`{host}` is not an IPv6 address")));
        }
        (host, named)
    } else {
        match text.split_once(':') {
            Some((_, rest)) if rest.contains(':') => {
                return Err(refuse("an IPv6 address stands in brackets, e.g. [::1]"));
            }
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        }
    };
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    if host.is_empty() || host.starts_with('-') || !host.chars().all(is_host) {
        return Err(refuse(format!("`{host}` is not a host")));
    }
    let port = match named.map(str::parse::<u16>) {
        None => port,
        Some(Ok(port)) if port > 0 => port,
        Some(_) => return Err(refuse(format!("`{}` is not a port", named.unwrap_or_default()))),
    };
    Ok((host.to_owned(), port))
}

/// A host with its port, as both are typed.
pub fn place(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

impl fmt::Display for FabricName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = place(&self.host, self.port);
        let place = if self.port == PORT { place.trim_end_matches(":4420") } else { &place };
        write!(f, "{SCHEME}//{place}/{}", self.subsystem)?;
        self.namespace.map_or(Ok(()), |id| write!(f, "/{id}"))?;
        let mut sign = '?';
        for word in self.choices.words() {
            write!(f, "{sign}{word}")?;
            sign = '&';
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_and_print_as_they_are_typed() {
        for (text, host, port, namespace, printed) in [
            ("nvme+tcp://10.0.0.5/nqn.a", "10.0.0.5", 4420, None, "nvme+tcp://10.0.0.5/nqn.a"),
            ("nvme+tcp://h:1/nqn.a/7", "h", 1, Some(7), "nvme+tcp://h:1/nqn.a/7"),
            ("nvme+tcp://h/nqn.a?ns=1", "h", 4420, Some(1), "nvme+tcp://h/nqn.a/1"),
            ("nvme+tcp://[::1]/nqn.a:uuid:0", "::1", 4420, None, "nvme+tcp://[::1]/nqn.a:uuid:0"),
            ("nvme+tcp://[fe80::2]:8009/n", "fe80::2", 8009, None, "nvme+tcp://[fe80::2]:8009/n"),
            ("nvme+tcp://h/n?nsid=3&hdgst=off", "h", 4420, Some(3), "nvme+tcp://h/n/3"),
            (
                "nvme+tcp://h/n/2?kato=9&ddgst=on&reconnect=30&hostnqn=nqn.me&hdgst=on",
                "h",
                4420,
                Some(2),
                "nvme+tcp://h/n/2?hostnqn=nqn.me&hdgst=on&ddgst=on&kato=9&reconnect=30",
            ),
        ] {
            let name: FabricName = text.parse().unwrap();
            assert_eq!((name.host.as_str(), name.port, name.namespace), (host, port, namespace), "{text}");
            assert_eq!(name.to_string(), printed);
            assert_eq!(printed.parse::<FabricName>().unwrap(), name);
        }
    }

    #[test]
    fn what_is_no_name_is_refused_with_advice() {
        for (text, cause) in [
            ("nvme+tcp://", "NQN is missing"),
            ("nvme+tcp://h", "NQN is missing"),
            ("nvme+tcp://h/", "NQN is missing"),
            ("nvme+tcp:///nqn", "not a host"),
            ("nvme+tcp://h/n/0", "count from 1"),
            ("nvme+tcp://h/n/4294967295", "count from 1"),
            ("nvme+tcp://h/n/1?ns=1", "twice"),
            ("nvme+tcp://h/n?ns=1&ns=2", "twice"),
            ("nvme+tcp://h:0/n", "not a port"),
            ("nvme+tcp://h:65536/n", "not a port"),
            ("nvme+tcp://[::1/n", "not closed"),
            ("nvme+tcp://[::1]x/n", "other than a port"),
            ("nvme+tcp://[h]/n", "IPv6"),
            ("nvme+tcp://::1/n", "brackets"),
            ("nvme+tcp://h/a b", "characters"),
            ("nvme+tcp://h/a%00", "characters"),
            ("nvme+tcp://h/n?queues", "unknown key"),
            ("nvme+tcp://h/n?hdgst=on&hdgst=on", "twice"),
            ("nvme+tcp://h/n?hdgst=yes", "neither on nor off"),
            ("nvme+tcp://h/n?kato=0", "not 1 to 600"),
            ("nvme+tcp://h/n?reconnect=3601", "not 1 to 3600"),
            ("nvme+tcp://h/n?reconnect=30s", "not 1 to 3600"),
            ("nvme+tcp://h/n?hostnqn=", "NQN is missing"),
            ("nvme+tcp://h/n?psk=x", "no TLS"),
            ("nvme+tcp://-h/n", "not a host"),
            ("nvme:h/n", "begin"),
        ] {
            let error = text.parse::<FabricName>().unwrap_err();
            assert!(error.cause.contains(cause) && !error.remedy.is_empty(), "{text}: {error}");
        }
    }
}
