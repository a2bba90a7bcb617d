//! Counters from a Prometheus server: raw samples with their own times, stretch by stretch.
//!
//! A selector with a range gives each sample as it was scraped (Prometheus, "Querying basics", range vector
//! selectors); a range query would give the last one before each step instead.

use fathom_rows::DemandReport;
use fathom_tools::Refusal;

use super::{Disks, Selection, selector};
use crate::server_address::without_credentials;

/// Seconds asked for at once: a few thousand samples a series.
const STRETCH_S: i64 = 6 * 3600;
/// Stretches of one demand: a year.
const MOST_STRETCHES: i64 = 4 * 366;
const SERVER: &str = "a Prometheus server";

/// What a server is asked.
#[derive(Clone, Copy, Debug)]
pub struct PrometheusQuery<'a> {
    /// Its address, e.g. `http://localhost:9090`.
    pub url: &'a str,
    /// Which series.
    pub selection: Selection<'a>,
    /// From when, in seconds since 1970.
    pub from_unix_s: i64,
    /// Until when.
    pub to_unix_s: i64,
}

/// Reads the demand from a server; `get` fetches the body behind an address.
///
/// # Errors
/// As `get`, and as [`read`](super::read).
pub fn fetch(
    asked: &PrometheusQuery<'_>,
    mut get: impl FnMut(&str) -> Result<Vec<u8>, Refusal>,
) -> Result<DemandReport, Refusal> {
    let seconds = asked.to_unix_s.saturating_sub(asked.from_unix_s);
    if !(1..=STRETCH_S * MOST_STRETCHES).contains(&seconds) {
        return Err(Refusal::new(SERVER, format!("a stretch of {seconds} s cannot be asked for"))
            .or("give --from before --to, at most a year apart, e.g. --from 7d"));
    }
    let base = asked.url.trim_end_matches('/');
    let shown = without_credentials(base);
    let placed = |refusal: Refusal| if refusal.place.is_empty() { refusal.at(&shown) } else { refusal };
    let mut disks = Disks::default();
    let mut end = asked.from_unix_s;
    while end < asked.to_unix_s {
        let start = end;
        end = start.saturating_add(STRETCH_S).min(asked.to_unix_s);
        let query = format!("{}[{}s]", selector(&asked.selection), end - start);
        let body = get(&format!("{base}/api/v1/query?query={}&time={end}", encoded(&query)))?;
        if !body.trim_ascii_start().starts_with(b"{") {
            return Err(Refusal::new(SERVER, "its answer is not JSON").at(&shown).or(
                "give the server's own address, e.g. http://localhost:9090, not that of a page in front of it",
            ));
        }
        disks.add(&body).map_err(placed)?;
        // Points of one disk fit into memory; of how many others is not known.
        if !disks.is_empty() {
            disks.only(&asked.selection).map_err(placed)?;
        }
    }
    disks.seen(&asked.selection).map_err(placed)
}

/// Every byte that is not unreserved as `%XX` (RFC 3986, section 2).
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_cover_the_time_and_a_page_is_no_answer() {
        let selection = Selection { device: Some("sda"), ..Selection::default() };
        let asked = PrometheusQuery {
            url: "http://here:9090/",
            selection,
            from_unix_s: 1000,
            to_unix_s: 1000 + 50_000,
        };
        let mut urls = Vec::new();
        let refused = fetch(&asked, |url| {
            urls.push(url.to_owned());
            Ok(b"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[]}}".to_vec())
        });
        assert!(refused.unwrap_err().cause.contains("no disk's counters"));
        assert_eq!(urls.len(), 3);
        assert!(urls[0].starts_with("http://here:9090/api/v1/query?query=%7B__name__%3D~%22node_disk_reads"));
        assert!(
            urls[0].ends_with("%5B21600s%5D&time=22600") && urls[2].ends_with("%5B6800s%5D&time=51000"),
            "{urls:?}"
        );
        let page = fetch(&asked, |_| Ok(b"<html>Sign in</html>".to_vec())).unwrap_err();
        assert!(page.cause.contains("not JSON"), "{page}");
        let backwards = fetch(&PrometheusQuery { to_unix_s: 1, ..asked }, |_| Ok(Vec::new())).unwrap_err();
        assert!(backwards.remedy.contains("--from"), "{backwards}");
    }
}
