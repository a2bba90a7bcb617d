//! What is told of connections.

use crate::MetricDecl;

const SOURCE: &str = "getsockopt(TCP_INFO)";

/// The metrics, in the order in which they are put.
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::gauge(
        "tcp.rtt",
        "ns",
        SOURCE,
        "Smoothed round-trip time of a connection, as the kernel estimates it.",
    ),
    MetricDecl::gauge(
        "tcp.min_rtt",
        "ns",
        SOURCE,
        "Least round-trip time of a connection in the kernel's window.",
    ),
    MetricDecl::gauge(
        "tcp.window",
        "bytes",
        SOURCE,
        "Congestion window of a connection, times its segment size.",
    ),
    MetricDecl::gauge(
        "tcp.unacknowledged",
        "bytes",
        SOURCE,
        "Data sent and not acknowledged, in segments of the connection.",
    ),
    MetricDecl::gauge("tcp.not_sent", "bytes", SOURCE, "Data that waits in this machine to be sent."),
    MetricDecl::gauge(
        "tcp.delivery_rate",
        "bytes/s",
        SOURCE,
        "Rate at which the peer took data last, as the kernel measures it.",
    ),
    MetricDecl::rate("tcp.sent", "bytes/s", SOURCE, "Data sent over a connection, with what was sent again."),
    MetricDecl::rate("tcp.received", "bytes/s", SOURCE, "Data received over a connection."),
    MetricDecl::rate("tcp.retransmits", "1/s", SOURCE, "Segments of a connection that were sent again."),
    MetricDecl::rate("tcp.retransmitted", "bytes/s", SOURCE, "Data of a connection that was sent again."),
    MetricDecl::rate(
        "tcp.out_of_order",
        "1/s",
        SOURCE,
        "Segments of a connection that came out of order: the network lost or reordered some before them.",
    ),
    MetricDecl::rate("tcp.segments_in", "1/s", SOURCE, "Segments with data that a connection received."),
    MetricDecl::rate(
        "tcp.receiver_limited",
        "share",
        SOURCE,
        "Share of the time in which the peer's receive window held sending back.",
    ),
    MetricDecl::rate(
        "tcp.buffer_limited",
        "share",
        SOURCE,
        "Share of the time in which this machine's send buffer held sending back.",
    ),
];
