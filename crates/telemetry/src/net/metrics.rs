//! What is known of the network.

use crate::MetricDecl;

const DEV: &str = "/proc/net/dev";
const SNMP: &str = "/proc/net/snmp";
const NETSTAT: &str = "/proc/net/netstat";
const PACKETS: &str = "packets/s";
const SEGMENTS: &str = "segments/s";

/// Label: the interface; empty for TCP's own counts.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::rate("net.received_bytes", "bytes/s", DEV, "Bytes received."),
    MetricDecl::rate("net.received_packets", PACKETS, DEV, "Packets received."),
    MetricDecl::rate("net.received_errors", PACKETS, DEV, "Received packets that were bad."),
    MetricDecl::rate(
        "net.received_drops",
        PACKETS,
        DEV,
        "Received packets that were dropped for want of room.",
    ),
    MetricDecl::rate("net.sent_bytes", "bytes/s", DEV, "Bytes sent."),
    MetricDecl::rate("net.sent_packets", PACKETS, DEV, "Packets sent."),
    MetricDecl::rate("net.sent_errors", PACKETS, DEV, "Packets that could not be sent."),
    MetricDecl::rate("net.sent_drops", PACKETS, DEV, "Packets that were dropped before they were sent."),
    MetricDecl::rate("net.tcp_sent", SEGMENTS, SNMP, "TCP segments sent by the whole machine."),
    MetricDecl::rate("net.tcp_retransmits", SEGMENTS, SNMP, "TCP segments sent again by the whole machine."),
    MetricDecl::rate(
        "net.tcp_zero_windows",
        "windows/s",
        NETSTAT,
        "Times that this machine made a sender stop because it had no room for more.",
    ),
    MetricDecl::rate(
        "net.tcp_window_probes",
        "probes/s",
        NETSTAT,
        "Questions whether a receiver that had no room has some again.",
    ),
];
