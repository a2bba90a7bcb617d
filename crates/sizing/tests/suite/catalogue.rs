//! Every row of the catalogue carries a source and a date, and means what it says.

use fathom_sizing::{Catalogue, Shaper};

#[test]
fn every_row_names_a_source_that_has_a_date() {
    let catalogue = Catalogue::built_in().unwrap();
    let known = |key: &str, row: &str| {
        let source = catalogue.sources.find(key);
        assert!(source.is_some_and(|s| !s.text.is_empty() && !s.date.is_empty()), "{row}: no source {key:?}");
    };
    catalogue.volumes.facts().iter().for_each(|fact| known(&fact.source, &format!("{fact:?}")));
    catalogue.prices.rows().iter().for_each(|price| known(&price.source, &format!("{price:?}")));
    catalogue.machines.sources().for_each(|source| known(source, "a machine"));
    for instance in &catalogue.instances {
        known(&instance.source, &instance.name);
        instance.hours.iter().for_each(|(_, _, source)| known(source, &instance.name));
    }
    assert!(catalogue.instances.len() > 1400 && catalogue.prices.rows().len() > 200);
}

#[test]
fn instances_have_both_limits_in_exact_units() {
    let catalogue = Catalogue::built_in().unwrap();
    let ebs = |name: &str| catalogue.instance(name).and_then(|i| i.ebs).unwrap();
    // 10,000 Mbps is 1,250 MB/s, not 1,250 MiB/s.
    let r6id = ebs("r6id.4xlarge");
    assert_eq!(
        r6id.bytes,
        Shaper { base_per_s: 625_000_000, peak_per_s: 1_250_000_000, bucket: 1_125_000_000_000 }
    );
    assert_eq!((r6id.operations.base_per_s, r6id.operations.peak_per_s), (20_000, 40_000));
    assert_eq!(ebs("r5d.4xlarge").bytes, Shaper::cap(593_750_000));
    assert!(catalogue.instance("r6id.4xlarge").unwrap().bursts());
    assert!(catalogue.similar_instances("r6id.5xlarge").contains(&"r6id.4xlarge"));
}

/// Limits of 1,052 instance types as the provider's user guide printed them, which is not where the catalogue has
/// them from. `user-guide-2023-06` is the archive of 2023-06-15, `user-guide-mirror` mirrors of later pages.
const DOCUMENTED: &str = include_str!("../facts/documented.csv");

#[test]
fn the_limits_of_instances_are_those_of_the_user_guide_or_grew_since() {
    let catalogue = Catalogue::built_in().unwrap();
    let (mut same, mut grown) = (0, std::collections::BTreeSet::new());
    for line in DOCUMENTED.lines().skip(1) {
        let [name, figures @ .., page] = &line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let guide: Vec<u64> = figures.iter().map(|text| text.parse().unwrap()).collect();
        let ebs = catalogue.instance(name).and_then(|instance| instance.ebs).expect(line);
        // A million bits are 125,000 bytes.
        let bytes = [ebs.bytes.base_per_s / 125_000, ebs.bytes.peak_per_s / 125_000];
        let ours = [bytes[0], bytes[1], ebs.operations.base_per_s, ebs.operations.peak_per_s];
        if ours == guide[..] {
            same += 1;
            continue;
        }
        assert_eq!(*page, "user-guide-2023-06", "{line}: the catalogue has {ours:?}");
        assert!(ours.iter().zip(&guide).all(|(ours, guide)| ours >= guide), "{line}: {ours:?} fell");
        grown.insert(name.split('.').next().unwrap());
    }
    assert_eq!(same, 991);
    // Families whose limits the provider raised after the archive was made.
    assert_eq!(grown, ["c6in", "m6idn", "m6in", "r6a", "r6idn", "r6in"].into());
}

#[test]
fn a_user_s_prices_are_read_or_refused_by_their_line() {
    use fathom_sizing::catalogue::Prices;
    let head = "provider,region,type,component,price\n";
    for (row, cause) in [
        ("AWS,x,gp3,capacity,-1", "price is not a usable number: \"-1\""),
        ("AWS,x,gp3,capacity,", "no price"),
        ("AWS,,gp3,capacity,1", "no region"),
        ("AWS,x,gp3,capacity,1e300", "1e300 per unit and month is not a valid price"),
    ] {
        let error = Prices::read("own.csv", &format!("{head}{row}\n")).unwrap_err();
        assert_eq!(error.place, "own.csv, line 2");
        assert!(error.cause.contains(cause) || cause.starts_with("1e300"), "{error}");
    }
    assert!(Prices::read("own.csv", &format!("{head}AWS,x,gp3\n")).is_err());
}

#[test]
fn a_catalogue_has_a_number_of_its_own() {
    let number = Catalogue::built_in_hash();
    assert_eq!(number, Catalogue::built_in_hash());
    assert_ne!(number, fathom_sizing::fleet_volumes::hash(b"\0\0\0\0"), "the files are in it");
}
