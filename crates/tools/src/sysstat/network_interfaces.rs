//! Network interfaces and the errors on them, and TCP.

use super::KB;
use crate::foreign_series::{Column, bytes_per_s, plain, share};

/// A column of `sar -n DEV`, `EDEV`, `TCP` or `ETCP`, its `/s` left out.
pub fn network(column: &str) -> Column {
    let packets = |metric: &'static str| plain(metric, "packets/s");
    match column {
        "rxpck" => packets("net.received_packets"),
        "txpck" => packets("net.sent_packets"),
        "rxkB" => bytes_per_s("net.received_bytes", KB),
        "txkB" => bytes_per_s("net.sent_bytes", KB),
        "rxbyt" => bytes_per_s("net.received_bytes", 1.0),
        "txbyt" => bytes_per_s("net.sent_bytes", 1.0),
        "rxcmp" => packets("net.received_compressed"),
        "txcmp" => packets("net.sent_compressed"),
        "rxmcst" => packets("net.received_multicast"),
        "%ifutil" => share("net.utilisation"),
        "rxerr" => packets("net.received_errors"),
        "txerr" => packets("net.sent_errors"),
        "coll" => packets("net.collisions"),
        "rxdrop" => packets("net.received_drops"),
        "txdrop" => packets("net.sent_drops"),
        "txcarr" => packets("net.sent_carrier_errors"),
        "rxfram" => packets("net.received_frame_errors"),
        "rxfifo" => packets("net.received_overruns"),
        "txfifo" => packets("net.sent_overruns"),
        "active" => plain("net.tcp_opened", "connections/s"),
        "passive" => plain("net.tcp_accepted", "connections/s"),
        "iseg" => plain("net.tcp_received", "segments/s"),
        "oseg" => plain("net.tcp_sent", "segments/s"),
        "retrans" | "retrseg" => plain("net.tcp_retransmits", "segments/s"),
        "isegerr" => plain("net.tcp_received_errors", "segments/s"),
        "orsts" => plain("net.tcp_resets_sent", "segments/s"),
        "atmptf" => plain("net.tcp_failed_attempts", "connections/s"),
        "estres" => plain("net.tcp_resets", "connections/s"),
        _ => Column::Unknown,
    }
}
