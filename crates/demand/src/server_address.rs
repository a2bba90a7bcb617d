//! Addresses of servers as they may be shown: who asks, and with what password, is nobody else's to read.

/// The text with each address in it as `scheme://host` in place of `scheme://user:password@host`.
pub fn without_credentials(text: &str) -> String {
    let mut parts = text.split("://");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let authority = &part[..part.find(['/', '?', '#']).unwrap_or(part.len())];
        let host = authority.rfind('@').map_or(0, |at| at + 1);
        out.push_str("://");
        out.push_str(&part[host..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_who_asks() {
        for (text, kept) in [
            ("http://a:b@host:9090/p", "http://host:9090/p"),
            ("--prometheus=https://a:p%40@host", "--prometheus=https://host"),
            ("https://token@host?x=a@b", "https://host?x=a@b"),
            ("https://a:b@c@host#x", "https://host#x"),
            ("http://host/a@b", "http://host/a@b"),
            ("http://a:b@x,http://c:d@y", "http://x,http://y"),
            ("user@host:/data", "user@host:/data"),
            ("://@", "://"),
            ("", ""),
        ] {
            assert_eq!(without_credentials(text), kept, "{text}");
        }
    }
}
