//! The one property in which two rows of a table differ, if there is just one.

use super::PublishedRow;
use super::name_counts;

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
    /// Machines, or what names count: nodes, guests.
    Hosts,
    /// Driver, engine or system on the same hardware.
    Software,
    /// A version, setting or mode; also what a name alone tells apart.
    Setting,
    /// How often each byte is written.
    Copies,
    /// Whether writes are flushed.
    Flush,
    /// Where the memory is.
    Node,
    /// Whether the device below was measured.
    Below,
    /// Bytes of the target in use.
    Span,
    /// Part of the run.
    Phase,
    /// Share of reads.
    Direction,
    /// Another instance type of a provider.
    Machine,
    /// Anything else.
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
    let mut found = facts(a, b);
    if let Some(property) = concurrency(a, b, &found) {
        found.push(property);
    }
    words(a, b, &mut found);
    found
}

/// Of what is stated in figures.
fn facts(a: &PublishedRow, b: &PublishedRow) -> Vec<Property> {
    let same = [
        (equal(a.devices, b.devices), Property::Devices),
        (equal(a.connections, b.connections), Property::Connections),
        (equal(a.hosts, b.hosts), Property::Hosts),
        (equal(a.block_bytes, b.block_bytes), Property::Block),
        (a.order == b.order, Property::Order),
        (a.software == b.software, Property::Software),
        (a.below == b.below, Property::Below),
        (equal(a.span_bytes, b.span_bytes), Property::Span),
        (a.phase == b.phase && equal(a.written_bytes, b.written_bytes), Property::Phase),
        (equal(a.read_percent, b.read_percent), Property::Direction),
        (equal(a.copies, b.copies), Property::Copies),
        (a.flush == b.flush && equal(a.flush_every, b.flush_every), Property::Flush),
        (a.numa == b.numa, Property::Node),
        (equal(a.mtu, b.mtu), Property::Setting),
        (a.host == b.host, machines(a, b)),
        (a.target == b.target, Property::Other),
        (equal(a.asked_iops, b.asked_iops), Property::Other),
    ];
    let mut found: Vec<Property> =
        same.into_iter().filter_map(|(is_same, property)| (!is_same).then_some(property)).collect();
    follow(a, b, &mut found);
    found
}

/// Two instance types of a provider differ in what they are allowed; two machines differ in anything.
fn machines(a: &PublishedRow, b: &PublishedRow) -> Property {
    let is_type = |row: &PublishedRow| row.host.as_deref().is_some_and(is_instance_type);
    if is_type(a) && is_type(b) { Property::Machine } else { Property::Other }
}

/// Whether a name is that of an instance type: `r6id.4xlarge`, `n2-highmem-32` or `D32s_v4`.
fn is_instance_type(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has_digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let is_count = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let is_sold = |(family, size): (&str, &str)| {
        has_digit(family)
            && ["large", "medium", "small", "micro", "metal"].iter().any(|word| size.contains(word))
    };
    let is_counted = |(family, cores): (&str, &str)| {
        let generation = family.split('-').next().unwrap_or_default();
        family.contains('-') && has_digit(generation) && is_count(cores)
    };
    name.split_once('.').is_some_and(is_sold)
        || name.rsplit_once('-').is_some_and(is_counted)
        || name.rsplit_once("_v").is_some_and(|(size, version)| has_digit(size) && is_count(version))
}

/// Machines, drives, connections and written copies that grow by one factor are one addition.
fn follow(a: &PublishedRow, b: &PublishedRow, found: &mut Vec<Property>) {
    let ratio = |of: fn(&PublishedRow) -> Option<f64>| Some(of(a)? / of(b)?);
    let Some(devices) = ratio(|row| row.devices).filter(|_| found.contains(&Property::Devices)) else {
        return;
    };
    let follows = |other: Option<f64>| other.is_some_and(|other| same(other, devices));
    let (hosts, connections) = (follows(ratio(|row| row.hosts)), follows(ratio(|row| row.connections)));
    found.retain(|property| match property {
        Property::Hosts => !hosts,
        Property::Connections => !connections,
        _ => true,
    });
}

/// Of what is stated in words: versions and settings, and names where nothing else differs. A setting that only counts
/// what is stated beside, as "3 nodes", does not differ again.
fn words(a: &PublishedRow, b: &PublishedRow, found: &mut Vec<Property>) {
    let is_described = |a: &str, b: &str| name_counts::factor(a, b).is_some();
    let settings = (a.setting.as_deref().unwrap_or_default(), b.setting.as_deref().unwrap_or_default());
    let is_same_setting =
        a.setting == b.setting || settings.0 == settings.1 || is_described(settings.0, settings.1);
    // Another software has versions of its own.
    let is_same_version = a.version == b.version || found.contains(&Property::Software);
    if !is_same_version || !is_same_setting {
        found.push(Property::Setting);
    }
    if !found.is_empty() {
        return;
    }
    let is_stated = a.read_percent.is_some() || a.order.is_some();
    let is_counted = is_described(&a.pattern, &b.pattern) || (settings.0 != settings.1 && is_same_setting);
    match (a.pattern == b.pattern && a.side == b.side, is_counted, is_stated) {
        (true, false, _) => {}
        (_, true, _) => found.push(Property::Hosts),
        // The name is all that differs: it stands for something that is not stated.
        (false, false, true) => found.push(Property::Setting),
        (false, false, false) => found.push(Property::Other),
    }
}

/// How the concurrency differs, unless it follows the number of volumes, machines or connections.
fn concurrency(a: &PublishedRow, b: &PublishedRow, found: &[Property]) -> Option<Property> {
    let (of_a, of_b) = (a.concurrency(), b.concurrency());
    if equal(of_a, of_b) {
        return (!equal(a.jobs, b.jobs)).then_some(Property::Jobs);
    }
    let (Some(of_a), Some(of_b)) = (of_a, of_b) else { return Some(Property::Other) };
    let follows = |property: Property, a: Option<f64>, b: Option<f64>| {
        found.contains(&property) && a.zip(b).is_some_and(|(a, b)| same(a / b, of_a / of_b))
    };
    let is_followed = follows(Property::Devices, a.devices, b.devices)
        || follows(Property::Hosts, a.hosts, b.hosts)
        || follows(Property::Connections, a.connections, b.connections);
    (!is_followed).then_some(Property::Concurrency)
}

/// How many times as many machines, or of what names count, the other row has.
pub fn hosts_factor(a: &PublishedRow, b: &PublishedRow) -> Option<f64> {
    let stated = a.hosts.zip(b.hosts).map(|(a, b)| b / a);
    let settings = || name_counts::factor(a.setting.as_deref()?, b.setting.as_deref()?);
    stated.or_else(|| name_counts::factor(&a.pattern, &b.pattern)).or_else(settings)
}

/// Rows that differ in more than this answer nothing of one another.
const MOST_DIFFERENCES: usize = 2;

/// A row that can answer something of an explained one, and what differs between them: told once, because every row of a
/// table stands beside every other.
#[derive(Clone, Debug)]
pub struct ComparableRow<'a> {
    /// Where it stands in the table.
    pub place: usize,
    /// The row.
    pub row: &'a PublishedRow,
    /// Everything that differs.
    pub differing: Vec<Property>,
}

impl<'a> ComparableRow<'a> {
    /// `None` of a row that can answer nothing: it neither measured the device below nor differs in little.
    pub fn beside(explained: &PublishedRow, place: usize, row: &'a PublishedRow) -> Option<Self> {
        let differing = properties(explained, row);
        (row.below || differing.len() <= MOST_DIFFERENCES).then_some(Self { place, row, differing })
    }

    /// The one property that differs.
    pub fn only(&self) -> Option<Property> {
        match self.differing.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }
}

/// The one property in which two rows differ.
pub fn only(a: &PublishedRow, b: &PublishedRow) -> Option<Property> {
    match properties(a, b).as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::Flush;
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
        let flushed = PublishedRow { flush: Some(Flush::Each), ..row() };
        assert_eq!(only(&row(), &flushed), Some(Property::Flush));
    }

    #[test]
    fn what_only_one_row_states_or_two_properties_are_none() {
        assert_eq!(only(&row(), &PublishedRow { jobs: None, depth: None, ..row() }), Some(Property::Other));
        let both = PublishedRow { depth: Some(16.0), block_bytes: Some(4096.0), ..row() };
        assert_eq!(only(&row(), &both), None);
        let other_side = PublishedRow { side: "another machine".to_owned(), ..row() };
        assert_eq!(only(&row(), &other_side), Some(Property::Other));
    }

    #[test]
    fn instance_types_are_compared_and_machines_are_not() {
        let on = |host: &str| PublishedRow { host: Some(host.to_owned()), ..row() };
        for (a, b) in [("r4.8xlarge", "c5n.metal"), ("n2-highmem-32", "n2-highmem-64"), ("D32s_v4", "E8_v5")]
        {
            assert_eq!(only(&on(a), &on(b)), Some(Property::Machine), "{a}");
        }
        for (a, b) in [("r4.8xlarge", "my desktop"), ("node-1", "node-2"), ("Xeon 6338", "EPYC 7742")] {
            assert_eq!(only(&on(a), &on(b)), Some(Property::Other), "{a}");
        }
    }

    #[test]
    fn names_and_settings_tell_what_no_figure_does() {
        let named = |pattern: &str| PublishedRow {
            pattern: pattern.to_owned(),
            read_percent: Some(100.0),
            ..PublishedRow::default()
        };
        let (four, twelve) = (named("GET 4 nodes"), named("GET 12 nodes"));
        assert_eq!(only(&four, &twelve), Some(Property::Hosts));
        assert_eq!(hosts_factor(&four, &twelve), Some(3.0));
        assert_eq!(only(&named("plain"), &named("encrypted")), Some(Property::Setting));
        let newer = PublishedRow { version: Some("2".to_owned()), ..named("plain") };
        assert_eq!(only(&named("plain"), &newer), Some(Property::Setting));
        // A setting that says in words what the drives say in figures is no second difference.
        let nodes = |count: f64| PublishedRow {
            devices: Some(10.0 * count),
            setting: Some(format!("{count} nodes")),
            ..named("read")
        };
        assert_eq!(only(&nodes(3.0), &nodes(10.0)), Some(Property::Devices));
    }
}
