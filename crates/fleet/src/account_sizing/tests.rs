//! What is said of an account's volumes, from an account of a few lines.

use fathom_record::fleet_record::FleetStatus;
use fathom_sizing::fleet_volumes::History;

use super::*;
use crate::Tally;
use crate::fleet_summary::Summary;

const ACCOUNT: &[u8] = br#"{"Volumes":[
    {"VolumeId":"vol-big","Size":100,"VolumeType":"gp3","Iops":16000,"Throughput":1000,"State":"in-use",
     "Attachments":[{"InstanceId":"i-1","State":"attached"}],"Tags":[{"Key":"team","Value":"data"}]},
    {"VolumeId":"vol-old","Size":1000,"VolumeType":"gp2","Iops":3000,"State":"in-use","Attachments":[{"InstanceId":"i-1","State":"attached"}]},
    {"VolumeId":"vol-free","Size":500,"VolumeType":"io2","Iops":9000,"State":"available"},
    {"VolumeId":"vol-both","Size":100,"VolumeType":"io2","Iops":1000,"State":"in-use","MultiAttachEnabled":true,
     "Attachments":[{"InstanceId":"i-1","State":"attached"},{"InstanceId":"i-2","State":"attached"}]},
    {"VolumeId":"vol-magnetic","Size":10,"VolumeType":"standard","State":"available"}],
    "Reservations":[{"Instances":[{"InstanceId":"i-1","InstanceType":"m5.large","Tags":[{"Key":"Name","Value":"db"}]}]}]}"#;

fn busy(ops: f64) -> Vec<Interval> {
    let interval = |at: i64| Interval {
        end_ns: (1_793_491_200 + at * 300) * 1_000_000_000,
        reads: ops * 300.0,
        read_bytes: ops * 300.0 * 4096.0,
        ..Interval::default()
    };
    (0..600).map(interval).collect()
}

fn sized(volume: &str, saves: f64) -> FleetRow {
    FleetRow {
        status: FleetStatus::Sized,
        current: Some("gp3, 100 GiB".to_owned()),
        current_month: Some(100.0),
        saves_month: Some(saves),
        current_holds: Some(saves > 0.0),
        offer: Some("gp3, 100 GiB, 4000 IOPS, 125 MiB/s".to_owned()),
        offer_type: Some("gp3".to_owned()),
        offer_members: Some(1),
        offer_size_gib: Some(100),
        offer_iops: Some(4000),
        offer_bytes_per_s: Some(125 << 20),
        ..unjudged(volume, "")
    }
}

fn place(rows: &[(FleetRow, Vec<Interval>)]) -> AccountPlace {
    let catalogue = Catalogue::built_in().unwrap();
    let market = Market::of(&catalogue, "us-east-1");
    let mut inventory = Inventory::default();
    inventory.read(ACCOUNT).unwrap();
    let history = History::default();
    let asked = SizingPolicy {
        market: &market,
        wait_s: 1.0,
        late_millionths: 1000,
        margin_thousandths: 1300,
        history: &history,
        stripes: 1,
    };
    let terms = AccountTerms {
        catalogue: &catalogue,
        market: &market,
        asked,
        inventory: &inventory,
        region: "us-east-1",
        profile: Some("prod"),
    };
    let by = "tag:team".parse().unwrap();
    let mut account = Account::new(terms, Some(&by));
    let mut tally = Tally::default();
    for (row, series) in rows {
        account.put(row, series);
        tally.put(row);
    }
    for row in account.unseen() {
        account.put(&row, &[]);
        tally.put(&row);
    }
    let (margin, from) = (crate::margin_of(&history, 100_000), ["prod".to_owned()]);
    let summary = Summary {
        from: &from,
        catalogue: &catalogue,
        region: "us-east-1",
        asked,
        margin,
        horizon_s: None,
        rows: 0,
        today: "2026-11-26",
    };
    let fleet = summary.record(&tally);
    account.place(fleet, None, None)
}

#[test]
fn volumes_stand_where_they_belong() {
    let found = place(&[(sized("vol-big", 50.0), busy(100.0))]);
    assert_eq!((found.volumes, found.instances, found.fleet.volumes), (5, 1, 5));
    let names = |held: &HeldVolumes| held.listed.iter().map(|of| of.volume.clone()).collect::<Vec<_>>();
    assert_eq!(names(&found.unattached), ["vol-free", "vol-magnetic"]);
    assert_eq!(
        (found.unattached.size_gib, names(&found.idle)),
        (510, vec!["vol-old".to_owned(), "vol-both".to_owned()])
    );
    assert!(found.unattached.month > 500.0 && found.unattached.listed[1].month.is_none());
    assert_eq!((found.gp2.volumes, found.gp2.month, found.gp2.cheaper), (1, 100.0, 1));
    assert!(found.gp2.as_gp3_month < 95.0, "{:?}", found.gp2);
    let groups = |by: &str| {
        let grouping = found.fleet.by.iter().find(|of| of.by == by).unwrap();
        grouping.groups.iter().map(|group| (group.group.clone(), group.volumes)).collect::<Vec<_>>()
    };
    assert_eq!(groups("type")[0], ("gp3".to_owned(), 1));
    assert_eq!(groups("tag:team"), [("data".to_owned(), 1), ("(no tag team)".to_owned(), 4)]);
    assert!(groups("instance").contains(&("i-1 (db) + i-2".to_owned(), 1)), "{:?}", groups("instance"));
    assert_eq!(found.shared, 1);
    let notes = found.notes.join(" ");
    assert!(notes.contains("1 volumes cost is not known") && notes.contains("several instances"), "{notes}");
    let reasons: Vec<&str> = found.fleet.not_judged.iter().map(|of| of.reason.as_str()).collect();
    assert!(reasons.iter().any(|reason| reason.starts_with("not attached")), "{reasons:?}");
}

#[test]
fn an_instance_that_lets_less_through_than_was_bought_is_named() {
    let found = place(&[(sized("vol-big", 50.0), busy(100.0)), (sized("vol-old", 1.0), busy(100.0))]);
    let at = &found.at_instances[0];
    assert_eq!((at.instance.as_str(), at.name.as_deref(), at.volumes), ("i-1", Some("db"), 2));
    assert_eq!(at.bought_iops, 19_000);
    assert!(at.finding.contains(&format!("{} IOPS more", 19_000 - at.most_iops)), "{at:?}");
    // 200 I/Os a second together, each volume half of it; means leave open how they count.
    assert!((200..=206).contains(&at.needs_iops.unwrap()) && at.headroom.unwrap() > 1.0, "{at:?}");
    let short = place(&[(sized("vol-big", 50.0), busy(9000.0)), (sized("vol-old", 1.0), busy(9000.0))]);
    assert!(short.at_instances[0].finding.contains("a larger instance"), "{:?}", short.at_instances);
}

#[test]
fn changes_are_commands_to_review() {
    let mut stripe = sized("vol-old", 70.0);
    (stripe.offer_members, stripe.offer_size_gib) = (Some(2), Some(1000));
    let both = sized("vol-both", 30.0);
    let found = place(&[(sized("vol-big", 50.0), busy(100.0)), (stripe, busy(1.0)), (both, busy(1.0))]);
    let commands: Vec<&str> = found.changes.iter().map(|of| of.command.as_str()).collect();
    assert_eq!(
        commands,
        [
            "aws ec2 modify-volume --region us-east-1 --profile prod --volume-id vol-big --iops 4000 --throughput 125"
        ],
        "neither a stripe nor a gp3 at two instances is a change of a volume"
    );
    // What was not judged may still be gp3, and what is too small costs more.
    let found = place(&[(sized("vol-big", -50.0), busy(100.0))]);
    let commands: Vec<&str> = found.changes.iter().map(|of| of.command.as_str()).collect();
    assert!(
        commands[0].ends_with("--volume-id vol-old --volume-type gp3 --iops 3000 --throughput 250"),
        "{commands:?}"
    );
    assert!(
        found.changes[1].saves_month < 0.0 && found.changes[1].why.contains("did not meet"),
        "{:?}",
        found.changes
    );
    // A volume is never made smaller.
    let mut small = sized("vol-old", 70.0);
    small.offer_size_gib = Some(999);
    assert!(place(&[(small, busy(1.0))]).changes.is_empty());
}
