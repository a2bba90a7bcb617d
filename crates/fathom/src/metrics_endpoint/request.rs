//! What a request's header asks for, and what is answered.

use super::metric_text::Form;

/// Where the metrics are.
const PATH: &str = "/metrics";

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    status: u16,
    media_type: &'static str,
    body: String,
}

impl Answer {
    /// A few words.
    pub fn plain(status: u16, words: &str) -> Self {
        Self { status, media_type: "text/plain; charset=utf-8", body: words.to_owned() }
    }

    /// As it is sent; a request for the head alone gets no more.
    pub fn bytes(&self, head_alone: bool) -> String {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            404 => "Not Found",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            421 => "Misdirected Request",
            431 => "Request Header Fields Too Large",
            _ => "Service Unavailable",
        };
        let allowed = if self.status == 405 { "Allow: GET, HEAD\r\n" } else { "" };
        let (status, media_type, length) = (self.status, self.media_type, self.body.len());
        let body = if head_alone { "" } else { self.body.as_str() };
        format!(
            "HTTP/1.1 {status} {reason}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\n{allowed}\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{body}"
        )
    }
}

/// The answer to a header, and whether its head alone is asked for. Where this is served to this machine alone, a
/// name that a page of another site lets point here is not answered.
pub fn answer(header: &str, is_local: bool, text: impl FnOnce(Form) -> String) -> (Answer, bool) {
    let mut lines = header.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (method, path, version) = (first.next(), first.next(), first.next());
    let (Some(method), Some(path), Some("HTTP/1.1" | "HTTP/1.0"), None) =
        (method, path, version, first.next())
    else {
        return (Answer::plain(400, "this is not a request of HTTP/1.1\n"), false);
    };
    let fields = || lines.clone().filter_map(|line| line.split_once(':'));
    let field = |name: &str| {
        fields()
            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .collect::<Vec<_>>()
    };
    if !matches!(method, "GET" | "HEAD") {
        return (Answer::plain(405, "metrics are only read: GET\n"), false);
    }
    let head_alone = method == "HEAD";
    if is_local && !field("host").iter().all(|host| is_this_machine(host)) {
        return (Answer::plain(421, "the request is for another host\n"), head_alone);
    }
    let answer = match path.split('?').next() {
        Some(PATH) => {
            let form = Form::accepted(field("accept").iter().any(|kinds| kinds.contains(Form::OPEN_METRICS)));
            Answer { status: 200, media_type: form.media_type(), body: text(form) }
        }
        Some("/") => Answer::plain(200, "fathom: the metrics are at /metrics\n"),
        _ => Answer::plain(404, "the metrics are at /metrics\n"),
    };
    (answer, head_alone)
}

/// Whether a `Host` names this machine as itself alone does.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(header: &str) -> u16 {
        answer(header, true, |_| "x 1\n".to_owned()).0.status
    }

    #[test]
    fn only_what_reads_the_metrics_is_answered_with_them() {
        let host = "Host: 127.0.0.1:9400\r\n";
        for (first, expected) in [
            ("GET /metrics HTTP/1.1", 200),
            ("HEAD /metrics HTTP/1.1", 200),
            ("GET /metrics?x=1 HTTP/1.0", 200),
            ("GET / HTTP/1.1", 200),
            ("GET /metrics/.. HTTP/1.1", 404),
            ("GET /../etc/passwd HTTP/1.1", 404),
            ("POST /metrics HTTP/1.1", 405),
            ("get /metrics HTTP/1.1", 405),
            ("GET /metrics", 400),
            ("GET /metrics HTTP/2", 400),
            ("GET /a b HTTP/1.1", 400),
            ("", 400),
            ("\u{0}\u{1}", 400),
        ] {
            assert_eq!(status(&format!("{first}\r\n{host}\r\n")), expected, "{first}");
        }
        let (whole, alone) = answer("HEAD /metrics HTTP/1.1\r\n\r\n", true, |_| "x 1\n".to_owned());
        assert!(whole.bytes(alone).ends_with("\r\n\r\n") && whole.bytes(alone).contains("Content-Length: 4"));
    }

    #[test]
    fn a_name_that_only_points_here_is_not_this_machine() {
        let of = |host: &str, is_local| {
            answer(&format!("GET /metrics HTTP/1.1\r\n{host}\r\n"), is_local, |_| String::new()).0.status
        };
        for host in ["Host: localhost:9400\r\n", "HOST: [::1]:9400\r\n", "Host: 127.0.0.1\r\n", ""] {
            assert_eq!(of(host, true), 200, "{host}");
        }
        for host in
            ["Host: evil.example:9400\r\n", "Host: localhost.evil\r\n", "Host: localhost\r\nHost: evil\r\n"]
        {
            assert_eq!((of(host, true), of(host, false)), (421, 200), "{host}");
        }
    }

    #[test]
    fn the_form_is_the_one_that_is_asked_for() {
        let form = |accept: &str| {
            answer(&format!("GET /metrics HTTP/1.1\r\n{accept}\r\n"), true, |form| format!("{form:?}")).0
        };
        let open = form("Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n");
        assert!(open.body == "OpenMetrics" && open.media_type.starts_with("application/openmetrics-text"));
        assert!(
            form("Accept: */*\r\n").body == "Prometheus" && form("").media_type.contains("version=0.0.4")
        );
    }
}
