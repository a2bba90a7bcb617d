//! Controllers of NVMe as SPDK names them: by the PCI address of one that a user-space driver has, or by a transport id,
//! as `trtype:TCP adrfam:IPv4 traddr:10.0.0.1 trsvcid:4420`.

/// Parts of a transport id; what is none of them may name something else.
const PARTS: [&str; 8] = ["trtype", "adrfam", "traddr", "trsvcid", "subnqn", "hostnqn", "ns", "priority"];

/// A controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransportId {
    parts: Vec<(String, String)>,
}

impl TransportId {
    /// What a target names; `None` where it names no controller.
    pub fn parse(target: &str) -> Option<Self> {
        if is_pci_address(target) {
            let part = |key: &str, value: &str| (key.to_owned(), value.to_owned());
            return Some(Self { parts: vec![part("trtype", "PCIe"), part("traddr", target)] });
        }
        let part = |part: &str| {
            let (key, value) = part.split_once(':')?;
            (PARTS.contains(&key) && !value.is_empty()).then(|| (key.to_owned(), value.to_owned()))
        };
        let parts = target.split_whitespace().map(part).collect::<Option<Vec<_>>>()?;
        parts.iter().any(|(key, _)| key == "trtype").then_some(Self { parts })
    }

    /// A part by its name, as `traddr`.
    pub fn part(&self, key: &str) -> Option<&str> {
        self.parts.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

impl std::fmt::Display for TransportId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts: Vec<String> = self.parts.iter().map(|(key, value)| format!("{key}:{value}")).collect();
        f.write_str(&parts.join(" "))
    }
}

/// `DOMAIN:BUS:DEVICE.FUNCTION`, the domain left out or not.
fn is_pci_address(text: &str) -> bool {
    let is_hex = |text: &str, digits: std::ops::RangeInclusive<usize>| {
        digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let Some((place, function)) = text.split_once('.') else { return false };
    let place: Vec<&str> = place.split(':').collect();
    let (domain, rest) = match place.as_slice() {
        [domain, rest @ ..] if rest.len() == 2 => (Some(*domain), rest),
        rest if rest.len() == 2 => (None, rest),
        _ => return false,
    };
    domain.is_none_or(|domain| is_hex(domain, 4..=8))
        && rest.iter().all(|part| is_hex(part, 1..=2))
        && matches!(function.as_bytes(), [b'0'..=b'7'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_is_an_address_or_known_parts_and_nothing_else() {
        let said = |target: &str| TransportId::parse(target).map(|id| id.to_string());
        assert_eq!(said("0000:04:00.0").as_deref(), Some("trtype:PCIe traddr:0000:04:00.0"));
        assert_eq!(said("04:00.1").as_deref(), Some("trtype:PCIe traddr:04:00.1"));
        let far = "trtype:TCP adrfam:IPv4 traddr:10.0.0.1 trsvcid:4420 subnqn:nqn.2014-08.a:b";
        assert_eq!(said(far).as_deref(), Some(far));
        assert_eq!(TransportId::parse(far).unwrap().part("subnqn"), Some("nqn.2014-08.a:b"));
        for odd in [
            "",
            "dead",
            "beef.0",
            "/dev/nvme0n1",
            "0000:04:00.0 -w write",
            "trtype:PCIe -w",
            "trtype:PCIe file:/x",
            "traddr:10.0.0.1",
            "trtype:",
            "0000:04:00.9",
            "0:0:0:0.0",
            "04:00",
            "data.0",
        ] {
            assert_eq!(said(odd), None, "{odd}");
        }
    }
}
