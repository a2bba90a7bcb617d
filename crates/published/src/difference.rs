//! The one property in which two rows of a table differ, if there is just one.

use super::PublishedRow;

/// A property of a row that could change its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// I/Os in flight.
    Concurrency,
    /// Jobs, with as many I/Os in flight.
    Jobs,
    /// Size of an I/O.
    Block,
    /// Order of the addresses.
    Order,
    /// Volumes or drives, the load of each being the same.
    Devices,
    /// Connections, the load of each or of all being the same.
    Connections,
    /// Driver, engine or system on the same hardware.
    Software,
    /// Whether the device below was measured.
    Below,
    /// Bytes of the target in use.
    Span,
    /// Part of the run.
    Phase,
    /// Anything else, as the machine or the share of reads.
    Other,
}

/// Two figures that are the same but for how they were written.
fn same(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-6
}

fn equal(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b || same(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Everything that differs. What one row states and the other does not differs too.
pub fn properties(a: &PublishedRow, b: &PublishedRow) -> Vec<Property> {
    let mut found = Vec::new();
    let mut push = |is_same: bool, property: Property| {
        if !is_same {
            found.push(property);
        }
    };
    push(equal(a.devices, b.devices), Property::Devices);
    push(equal(a.connections, b.connections), Property::Connections);
    push(equal(a.block_bytes, b.block_bytes), Property::Block);
    push(a.order == b.order, Property::Order);
    push(a.software == b.software, Property::Software);
    push(a.below == b.below, Property::Below);
    push(equal(a.span_bytes, b.span_bytes), Property::Span);
    push(a.phase == b.phase, Property::Phase);
    push(equal(a.read_percent, b.read_percent), Property::Other);
    push(a.host == b.host, Property::Other);
    push(a.target == b.target, Property::Other);
    push(equal(a.asked_iops, b.asked_iops), Property::Other);
    // The side is a name: where nothing that it names is stated, what differs is not known.
    if a.side != b.side && found.is_empty() {
        found.push(Property::Other);
    }
    match concurrency(a, b, &found) {
        Some(property) => {
            found.push(property);
            found
        }
        None => found,
    }
}

/// How the concurrency differs, unless it follows the number of volumes or connections.
fn concurrency(a: &PublishedRow, b: &PublishedRow, found: &[Property]) -> Option<Property> {
    let (of_a, of_b) = (a.concurrency(), b.concurrency());
    if equal(of_a, of_b) {
        return (!equal(a.jobs, b.jobs)).then_some(Property::Jobs);
    }
    let (Some(of_a), Some(of_b)) = (of_a, of_b) else { return Some(Property::Other) };
    let follows = |a: Option<f64>, b: Option<f64>| a.zip(b).is_some_and(|(a, b)| same(a / b, of_a / of_b));
    let is_followed = (found.contains(&Property::Devices) && follows(a.devices, b.devices))
        || (found.contains(&Property::Connections) && follows(a.connections, b.connections));
    (!is_followed).then_some(Property::Concurrency)
}

/// The one property that differs.
pub fn only(a: &PublishedRow, b: &PublishedRow) -> Option<Property> {
    match properties(a, b).as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> PublishedRow {
        PublishedRow { jobs: Some(2.0), depth: Some(8.0), devices: Some(2.0), ..PublishedRow::default() }
    }

    #[test]
    fn rows_that_differ_in_one_property_are_an_experiment() {
        let deeper = PublishedRow { depth: Some(16.0), ..row() };
        assert_eq!(only(&row(), &deeper), Some(Property::Concurrency));
        let spread = PublishedRow { jobs: Some(4.0), depth: Some(4.0), ..row() };
        assert_eq!(only(&row(), &spread), Some(Property::Jobs));
        // Twice the volumes at the same load for each.
        let wider = PublishedRow { devices: Some(4.0), jobs: Some(4.0), ..row() };
        assert_eq!(only(&row(), &wider), Some(Property::Devices));
        assert_eq!(only(&row(), &row()), None);
    }

    #[test]
    fn what_only_one_row_states_or_two_properties_are_none() {
        assert_eq!(only(&row(), &PublishedRow { jobs: None, depth: None, ..row() }), Some(Property::Other));
        let both = PublishedRow { depth: Some(16.0), block_bytes: Some(4096.0), ..row() };
        assert_eq!(only(&row(), &both), None);
        let other_side = PublishedRow { side: "another machine".to_owned(), ..row() };
        assert_eq!(only(&row(), &other_side), Some(Property::Other));
    }
}
