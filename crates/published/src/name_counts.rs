//! What names count: "4 nodes" beside "12 nodes" are three times as many.

/// What is added to carry more, as names call it, in the singular.
const ADDED: [&str; 20] = [
    "node",
    "host",
    "server",
    "client",
    "guest",
    "vm",
    "drive",
    "disk",
    "ssd",
    "osd",
    "volume",
    "target",
    "gateway",
    "pod",
    "machine",
    "instance",
    "initiator",
    "array",
    "core",
    "cpu",
];

/// How many times as many the second text counts of what the first one counts; `None` where they differ in
/// anything but such counts, or in counts of different factors.
pub fn factor(a: &str, b: &str) -> Option<f64> {
    if !could_count(a, b) {
        return None;
    }
    let (a, b) = (parts(a), parts(b));
    if a.len() != b.len() {
        return None;
    }
    let mut found: Option<f64> = None;
    for (at, (a_part, b_part)) in a.iter().zip(&b).enumerate() {
        let plural = |part: &str| part.strip_suffix('s').unwrap_or(part).to_owned();
        if plural(a_part) == plural(b_part) {
            continue;
        }
        let (a_count, b_count) = (a_part.parse::<f64>().ok()?, b_part.parse::<f64>().ok()?);
        let is_of_added = a.get(at + 1).is_some_and(|what| ADDED.contains(&plural(what).as_str()));
        let factor = b_count / a_count;
        let is_same = found.is_none_or(|found| (found / factor - 1.0).abs() < 1e-6);
        if !is_of_added || !is_same || !factor.is_finite() || factor <= 0.0 {
            return None;
        }
        found = Some(factor);
    }
    found
}

/// Whether texts are the same but for figures and plurals: tables compare every row with every other, and hardly any
/// pair gets past this.
fn could_count(a: &str, b: &str) -> bool {
    let of = |c: &u8| !(c.is_ascii_digit() || matches!(c, b'.' | b's' | b'S'));
    a.bytes()
        .filter(of)
        .map(|c| c.to_ascii_lowercase())
        .eq(b.bytes().filter(of).map(|c| c.to_ascii_lowercase()))
}

/// What names call a machine, in the singular.
const MACHINES: [&str; 5] = ["node", "host", "server", "machine", "gateway"];

/// How many machines a text counts, if it counts any.
pub fn machines(text: &str) -> Option<f64> {
    let parts = parts(text);
    let pairs = parts.windows(2).filter(|pair| {
        let what = pair[1].strip_suffix('s').unwrap_or(&pair[1]);
        MACHINES.contains(&what)
    });
    pairs.filter_map(|pair| pair[0].parse::<f64>().ok()).find(|count| *count > 0.0 && count.is_finite())
}

/// Words and numbers of a text, in lower case.
fn parts(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.';
    text.split(|c: char| !is_part(c)).filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_counts_of_what_carries_the_load_are_factors() {
        assert_eq!(factor("GET 4 nodes", "GET 12 nodes"), Some(3.0));
        assert_eq!(factor("1 VM, 2 disks", "4 VMs, 8 disks"), Some(4.0));
        assert_eq!(factor("one drive", "two drives"), None);
        assert_eq!(factor("step 1, 1 OSD", "step 3, 1 OSD"), None);
        assert_eq!(factor("fio 3.26", "fio 3.27"), None);
        assert_eq!(factor("2 CPUs, 4 VMs", "6 CPUs, 12 VMs"), Some(3.0));
        assert_eq!(factor("2 CPUs, 4 VMs", "6 CPUs, 8 VMs"), None);
        assert_eq!(factor("8 TiB", "16 TiB"), None);
        assert_eq!(factor("GET 4 nodes", "GET 4 nodes"), None);
        assert_eq!(machines("GET 12 nodes"), Some(12.0));
        assert_eq!(machines("12 drives a node"), None);
    }
}
