//! What is known of an interface's own allowances.

use crate::MetricDecl;

const SOURCE: &str = "ethtool -S";
const PACKETS: &str = "packets/s";

/// Label: the interface. The names are those of Amazon's ENA driver, which alone counts them; source: EC2 user
/// guide, "Monitor network performance for ENA settings".
pub const METRICS: &[MetricDecl] = &[
    MetricDecl::rate(
        "ethtool.bw_in_allowance_exceeded",
        PACKETS,
        SOURCE,
        "Packets queued or dropped because the instance's allowance of received bandwidth was exceeded.",
    ),
    MetricDecl::rate(
        "ethtool.bw_out_allowance_exceeded",
        PACKETS,
        SOURCE,
        "Packets queued or dropped because the instance's allowance of sent bandwidth was exceeded.",
    ),
    MetricDecl::rate(
        "ethtool.pps_allowance_exceeded",
        PACKETS,
        SOURCE,
        "Packets queued or dropped because the instance's allowance of packets a second was exceeded.",
    ),
    MetricDecl::rate(
        "ethtool.conntrack_allowance_exceeded",
        PACKETS,
        SOURCE,
        "Packets dropped because no more connections could be tracked for the instance.",
    ),
    MetricDecl::rate(
        "ethtool.linklocal_allowance_exceeded",
        PACKETS,
        SOURCE,
        "Packets dropped because too many went to the provider's local services.",
    ),
];
