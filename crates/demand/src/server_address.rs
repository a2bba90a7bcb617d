//! Addresses of servers as they may be shown: who asks, and with what password, is nobody else's to read.

use fathom_record::CREDENTIALS_PLACEHOLDER;

/// The text with each address in it as `scheme://host` in place of `scheme://user:password@host`.
pub fn without_credentials(text: &str) -> String {
    with_credentials_as(text, "")
}

/// The same of what is to be typed again: whoever reads it sees that credentials were left out, and where they belong.
pub fn with_placeholder(text: &str) -> String {
    with_credentials_as(text, CREDENTIALS_PLACEHOLDER)
}

fn with_credentials_as(text: &str, placeholder: &str) -> String {
    let mut parts = text.split("://");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let start = host_start(part);
        out.push_str("://");
        if start > 0 {
            out.push_str(placeholder);
        }
        out.push_str(&part[start..]);
    }
    out
}

/// Where the host begins behind the `://` of an address.
fn host_start(address: &str) -> usize {
    let behind_at = |text: &str| text.rfind('@').map_or(0, |at| at + 1);
    let authority = &address[..address.find(['/', '?', '#']).unwrap_or(address.len())];
    match behind_at(authority) {
        // A password that should have been escaped: what ends the authority is part of it.
        0 if !has_port_or_none(authority) => behind_at(address),
        start => start,
    }
}

/// Whether what is behind the host can be a port, or there is nothing.
fn has_port_or_none(authority: &str) -> bool {
    // The host may be in brackets, with colons of its own (RFC 3986, section 3.2.2).
    let host_end = authority.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let port = host_end.map_or(authority, |(_, rest)| rest).split_once(':');
    port.is_none_or(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
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
            ("http://host:9090/a@b", "http://host:9090/a@b"),
            ("http://[::1]:9090/a@b", "http://[::1]:9090/a@b"),
            ("http://[::1]/a@b", "http://[::1]/a@b"),
            ("http://a:b/c@host:9090", "http://host:9090"),
            ("http://a:b#c@d?e@host/p", "http://host/p"),
            ("http://a:1b?c@host?x=1", "http://host?x=1"),
            ("http://[a:b/c@host", "http://host"),
            ("http://a:b/c", "http://a:b/c"),
            ("http://a:b@x,http://c:d@y", "http://x,http://y"),
            ("user@host:/data", "user@host:/data"),
            ("://@", "://"),
            ("", ""),
        ] {
            assert_eq!(without_credentials(text), kept, "{text}");
        }
    }

    #[test]
    fn a_placeholder_shows_where_credentials_belong() {
        for (text, kept) in [
            ("http://a:b@x,https://token@y/p", "http://USER:PASSWORD@x,https://USER:PASSWORD@y/p"),
            ("--prometheus=http://a:b/c@x", "--prometheus=http://USER:PASSWORD@x"),
            ("http://host:9090/a@b", "http://host:9090/a@b"),
            ("user@host:/data", "user@host:/data"),
        ] {
            assert_eq!(with_placeholder(text), kept, "{text}");
        }
    }
}
