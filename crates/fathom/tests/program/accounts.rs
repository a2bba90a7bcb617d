//! `fathom size --account`, as it is typed: against an account of a few lines that fails as AWS does, and against an
//! emulation of AWS from a project that others keep (moto), where the machine has it.

use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::amazon::{Account, Amazon, id};
use crate::typed::{Answer, Typist};

/// The command with keys that nobody knows, and none of the machine's own.
fn account(typist: &Typist, endpoint: &str, more: &[&str]) -> Command {
    let mut command = typist.command(&[&["size", "--account"], more].concat());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("AWS_")) {
        command.env_remove(name);
    }
    command.env("HOME", typist.folder()).env("AWS_EC2_METADATA_DISABLED", "true").env("NO_PROXY", "*");
    command.env("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE").env("AWS_SECRET_ACCESS_KEY", "secret");
    command.env("AWS_ENDPOINT_URL", endpoint);
    command
}

pub fn ask(typist: &Typist, amazon: &Amazon, more: &[&str]) -> Answer {
    account(typist, &amazon.url, &[&["--region", "us-east-1", "--kept", "kept"], more].concat())
        .output()
        .unwrap()
        .into()
}

/// Days of hours, so that many volumes are a call.
const HOURS: [&str; 4] = ["--from", "7d", "--metric-period", "1h"];

fn group<'a>(place: &'a Value, by: &str, name: &str) -> &'a Value {
    let groupings = place["fleet"]["by"].as_array().unwrap();
    let groups = groupings.iter().find(|of| of["by"] == by).unwrap()["groups"].as_array().unwrap();
    groups.iter().find(|of| of["group"] == name).unwrap()
}

#[test]
fn an_account_is_read_within_the_rates_judged_and_shown() {
    let typist = Typist::new();
    let volumes = std::env::var("FATHOM_ACCOUNT_VOLUMES").map_or(30, |text| text.parse().unwrap());
    let latency_ms = std::env::var("FATHOM_ACCOUNT_LATENCY_MS").map_or(0, |text| text.parse().unwrap());
    let mut made_up = Account::of(volumes)
        .refusing("DescribeVolumes", &[(503, "RequestLimitExceeded")])
        .refusing("GetMetricData", &[(400, "ThrottlingException")]);
    made_up.latency = std::time::Duration::from_millis(latency_ms);
    let amazon = Amazon::serve(made_up);
    let asked = ["--json=a.json", "--report", "a.html", "--rows", "rows.csv", "--force", "--by", "tag:team"];
    let answer = ask(&typist, &amazon, &asked);
    assert_eq!(answer.status, 0, "{answer:?}");
    let calls = amazon.calls();
    // What is refused but for the two that were planned was sent faster than the service allows.
    assert_eq!(calls.iter().filter(|call| call.status != 200).count(), 2);
    assert!(calls.iter().all(|call| call.queries <= 500), "{calls:?}");
    let services = ["sts", "ec2", "monitoring"].map(|service| {
        calls.iter().any(|call| {
            call.scope.starts_with("akidexample/")
                && call.scope.ends_with(&format!("/us-east-1/{service}/aws4_request"))
        })
    });
    assert_eq!(services, [true; 3]);
    let record: Value = serde_json::from_slice(&std::fs::read(typist.path("a.json")).unwrap()).unwrap();
    assert_eq!(
        (&record["format"], &record["places"][0]["account"]),
        (&"fathom.account".into(), &"123456789012".into())
    );
    let place = &record["places"][0];
    assert_eq!((&place["volumes"], &place["fleet"]["volumes"]), (&volumes.into(), &volumes.into()));
    assert_eq!(
        (&place["unattached"]["volumes"], &place["idle"]["volumes"], &place["shared"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert_eq!((&place["gp2"]["volumes"], &place["reading"]["throttled"]), (&1.into(), &2.into()));
    assert_eq!(place["fleet"]["sized"], volumes - 2);
    assert_eq!(group(place, "type", "io2")["volumes"], 2);
    assert_eq!(group(place, "tag:team", "data & ml")["volumes"], volumes.div_ceil(3));
    let at = &place["at_instances"][0];
    assert_eq!(
        (&at["instance_type"], &at["bought_iops"], &at["name"]),
        (&"m5.large".into(), &24_000.into(), &"host0".into())
    );
    let first = place["changes"][0]["command"].as_str().unwrap();
    assert!(first.starts_with("aws ec2 modify-volume --region us-east-1 --volume-id vol-"), "{first}");
    let page = std::fs::read_to_string(typist.path("a.html")).unwrap();
    for told in
        ["modify-volume", "Totals by tag team", "data &#38; ml", "Limited by the instance", "list prices"]
    {
        assert!(page.contains(told), "{told}");
    }
    let rows = std::fs::read_to_string(typist.path("rows.csv")).unwrap();
    assert!(rows.starts_with("volume,group,status,") && rows.lines().count() == volumes + 1);
    assert!(
        answer.stdout.contains("by tag team") && answer.stdout.contains("gp2 to gp3"),
        "{}",
        answer.stdout
    );
    // The same again asks only whose account it is, and finds the same.
    let before = calls.len();
    let answer = ask(&typist, &amazon, &asked);
    assert_eq!((answer.status, amazon.calls().len()), (0, before + 1), "{answer:?}");
    let again: Value = serde_json::from_slice(&std::fs::read(typist.path("a.json")).unwrap()).unwrap();
    assert_eq!(again["places"][0]["fleet"], place["fleet"]);
    // What was kept is what AWS' own tool prints: the files alone say the same.
    let kept = place["reading"]["kept"].as_str().unwrap();
    let from_files =
        typist.json(&["size", "--account", kept, "--region", "us-east-1", "--json", "--by", "tag:team"]);
    let files = &from_files["places"][0];
    for part in ["money", "by", "terms", "top_savings", "not_judged"] {
        assert_eq!(files["fleet"][part], place["fleet"][part], "{part}");
    }
    for part in ["unattached", "idle", "gp2", "at_instances", "changes", "shared"] {
        assert_eq!(files[part], place[part], "{part}");
    }
}

#[test]
fn a_reading_that_was_cut_off_continues_where_it_was() {
    let typist = Typist::new();
    let refusals =
        Account::of(30).refusing("GetMetricData", &[(200, "answer"), (400, "ExpiredTokenException")]);
    let amazon = Amazon::serve(refusals);
    let cut = ask(&typist, &amazon, &["--json"]);
    assert_eq!(cut.status, 2, "{cut:?}");
    assert!(
        cut.stderr.contains("have expired") && cut.stderr.contains("the same command continues"),
        "{cut:?}"
    );
    // The call behind the one that failed may have been under way already.
    assert!((1..3).contains(&amazon.answered("GetMetricData")), "{:?}", amazon.calls());
    let whole = ask(&typist, &amazon, &["--json"]);
    assert_eq!(
        (whole.status, amazon.answered("GetMetricData"), amazon.answered("DescribeVolumes")),
        (0, 3, 1),
        "{whole:?}"
    );
    assert_eq!(whole.json()["places"][0]["fleet"]["volumes"], 30);
    // Other metrics are another reading, and so is the same one anew.
    let other = ask(&typist, &amazon, &[HOURS.as_slice(), &["--json"]].concat());
    assert_eq!((other.status, amazon.answered("DescribeVolumes")), (0, 2), "{other:?}");
    let anew = ask(&typist, &amazon, &[HOURS.as_slice(), &["--anew", "--json"]].concat());
    assert_eq!((anew.status, amazon.answered("DescribeVolumes")), (0, 3), "{anew:?}");
}

#[test]
fn an_answer_that_takes_its_time_does_not_hold_the_next_call_back() {
    let typist = Typist::new();
    let mut made_up = Account::of(30);
    // Whoever waits for one answer before it asks for the next one waits for good.
    made_up.holds = 2;
    let amazon = Amazon::serve(made_up);
    let answer = ask(&typist, &amazon, &["--json"]);
    assert_eq!((answer.status, amazon.answered("GetMetricData")), (0, 3), "{answer:?}");
    assert_eq!(answer.json()["places"][0]["fleet"]["sized"], 28);
}

#[test]
fn what_the_service_refuses_is_said_with_what_to_type() {
    for (action, code, told) in [
        ("GetCallerIdentity", "ExpiredToken", "aws sso login"),
        ("GetCallerIdentity", "InvalidClientTokenId", "get-region-opt-status"),
        ("DescribeVolumes", "UnauthorizedOperation", "permit ec2:DescribeVolumes"),
        ("DescribeInstances", "UnauthorizedOperation", "permit ec2:DescribeInstances"),
        ("GetMetricData", "AccessDeniedException", "permit cloudwatch:GetMetricData"),
        ("DescribeVolumes", "OptInRequired", "enable-region --region-name us-east-1"),
    ] {
        let typist = Typist::new();
        let amazon = Amazon::serve(Account::of(6).refusing(action, &[(403, code)]));
        let refused = ask(&typist, &amazon, &[HOURS.as_slice(), &["--json"]].concat());
        assert!(refused.status == 2 && refused.stderr.contains(told), "{action} {code}: {refused:?}");
    }
    let typist = Typist::new();
    let empty = ask(&typist, &Amazon::serve(Account::of(0)), &["--json"]);
    assert_eq!(empty.status, 1, "{empty:?}");
    assert!(
        empty.json()["places"][0]["notes"].to_string().contains("No volumes are in us-east-1"),
        "{empty:?}"
    );
}

#[test]
fn several_accounts_and_regions_are_read_and_one_that_is_off_keeps_nobody_else() {
    let typist = Typist::new();
    std::fs::create_dir(typist.path(".aws")).unwrap();
    let keys =
        |name: &str| format!("[{name}]\naws_access_key_id = AK{name}\naws_secret_access_key = secret\n");
    std::fs::write(typist.path(".aws/credentials"), keys("prod") + &keys("test")).unwrap();
    let mut made_up = Account::of(6);
    made_up.closed_region = Some(("eu-central-1", "OptInRequired"));
    let amazon = Amazon::serve(made_up);
    let places =
        ["--region", "us-east-1,eu-central-1", "--aws-profile", "prod,test", "--kept", "kept", "--json"];
    let answer: Answer =
        account(&typist, &amazon.url, &[HOURS.as_slice(), &places].concat()).output().unwrap().into();
    assert_eq!(answer.status, 1, "{answer:?}");
    let record = answer.json();
    let names = |list: &str| -> Vec<String> {
        let places = record[list].as_array().unwrap().iter();
        places
            .map(|place| {
                format!("{} {}", place["profile"].as_str().unwrap(), place["region"].as_str().unwrap())
            })
            .collect()
    };
    assert_eq!(names("places"), ["prod us-east-1", "test us-east-1"]);
    assert_eq!(names("failed"), ["prod eu-central-1", "test eu-central-1"]);
    assert!(record["failed"][0]["cause"].as_str().unwrap().contains("switched off"), "{record}");
    // Profiles that were named come before the environment's keys.
    assert!(
        amazon
            .calls()
            .iter()
            .all(|call| call.scope.starts_with("akprod") || call.scope.starts_with("aktest"))
    );
    let unknown =
        account(&typist, &amazon.url, &["--region", "us-east-1", "--aws-profile", "typo"]).output().unwrap();
    let unknown = Answer::from(unknown);
    assert!(unknown.status == 2 && unknown.stderr.contains("list-profiles"), "{unknown:?}");
}

#[test]
fn words_that_make_no_sense_are_refused_before_anybody_is_asked() {
    let typist = Typist::new();
    std::fs::write(typist.path("table.csv"), "volume,time,reads,writes,read_bytes,write_bytes\n").unwrap();
    std::fs::write(typist.path("metrics.json"), "{\"MetricDataResults\":[]}").unwrap();
    for (words, told) in [
        (vec!["--region", "mars"], "no prices of mars"),
        (vec!["--region", ","], "no region is named"),
        (vec!["--region", "us-east-1", "--by", "team"], "tag:team"),
        (vec!["--region", "us-east-1", "--metric-period", "90s"], "whole number of minutes"),
        (vec!["--region", "us-east-1", "--from", "1m"], "not even two periods"),
        (vec!["table.csv", "--region", "us-east-1"], "column names do not say"),
        (vec!["metrics.json", "--region", "us-east-1"], "describe-volumes"),
        (vec!["metrics.json", "--region", "us-east-1,eu-central-1"], "one region at a time"),
        (vec!["--region", "us-east-1", "--fleet"], "--fleet"),
        (vec!["--region", "us-east-1", "--size", "1TiB"], "--size"),
    ] {
        let amazon = Amazon::serve(Account::of(6));
        let refused = Answer::from(
            account(
                &typist,
                &amazon.url,
                &[&words[..], &["--kept", "kept"][..usize::from(!words[0].contains('.')) * 2]].concat(),
            )
            .output()
            .unwrap(),
        );
        assert!(refused.status == 2 && refused.stderr.contains(told), "{words:?}: {refused:?}");
    }
}

#[test]
fn a_fleet_s_tables_take_tags_from_a_column_or_from_the_account() {
    let typist = Typist::new();
    let table = |with_team: bool| {
        let mut text = format!(
            "volume,time,reads,writes,read_bytes,write_bytes{}\n",
            if with_team { ",team" } else { "" }
        );
        for volume in 0..6 {
            for tick in 0..600u64 {
                let team = if with_team { [",data", ",ops"][volume % 2] } else { "" };
                text += &format!("{},{},30000,0,122880000,0{team}\n", id(volume), 1_700_000_100 + tick * 300);
            }
        }
        text
    };
    std::fs::write(typist.path("team.csv"), table(true)).unwrap();
    std::fs::write(typist.path("bare.csv"), table(false)).unwrap();
    let asked =
        ["size", "--fleet", "--values", "per-row", "--region", "us-east-1", "--by", "tag:team", "--json"];
    let by_column =
        typist.json(&[&asked[..], &["team.csv", "--current", "gp3:iops=9000", "--size", "100GiB"]].concat());
    let groups = by_column["by"][0]["groups"].as_array().unwrap();
    assert_eq!((by_column["by"][0]["by"].as_str(), groups.len()), (Some("tag:team"), 2));
    assert_eq!(
        (&groups[0]["group"], &groups[0]["volumes"], &groups[0]["sized"]),
        (&"data".into(), &3.into(), &3.into())
    );
    assert!(groups[0]["waste_month"].as_f64().unwrap() > 0.0);
    // Sizes, types and tags of the account, for rows that say none of it.
    let amazon = Amazon::serve(Account::of(6));
    let read = ask(&typist, &amazon, &[HOURS.as_slice(), &["--json"]].concat());
    assert_eq!(read.status, 0, "{read:?}");
    let kept = read.json()["places"][0]["reading"]["kept"].as_str().unwrap().to_owned();
    let volumes = format!("{kept}/volumes.json");
    let by_account = typist.json(&[&asked[..], &["bare.csv", &volumes, "--rows", "rows.jsonl"]].concat());
    let names: Vec<&str> = by_account["by"][0]["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| of["group"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"data & ml") && names.contains(&"(no tag team)") && names.len() == 2,
        "{names:?}"
    );
    assert_eq!((&by_account["sized"], &by_account["money"]["compared"]), (&6.into(), &6.into()));
    let rows = std::fs::read_to_string(typist.path("rows.jsonl")).unwrap();
    let first: Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    assert_eq!(first["group"], "data & ml");
    // Without the flag nothing of it is there.
    let plain = typist.json(&[
        "size",
        "--fleet",
        "--values",
        "per-row",
        "--region",
        "us-east-1",
        "--json",
        "team.csv",
        "--size",
        "100GiB",
    ]);
    assert!(plain.get("by").is_none());
}

/// What a machine with moto makes an account of: two volumes at an instance, one at none, and their metrics.
const MAKE: &str = r#"
import datetime, sys, boto3
url = sys.argv[1]
make = lambda name: boto3.client(name, endpoint_url=url, region_name='us-east-1', aws_access_key_id='AKIDEXAMPLE', aws_secret_access_key='secret')
ec2, cloudwatch = make('ec2'), make('cloudwatch')
instance = ec2.run_instances(ImageId='ami-12345678', MinCount=1, MaxCount=1, InstanceType='m5.large')['Instances'][0]['InstanceId']
ids = []
for kind, size, more in [('gp3', 100, dict(Iops=9000, Throughput=500)), ('gp2', 500, {}), ('io2', 50, dict(Iops=2000))]:
    tags = [{'ResourceType': 'volume', 'Tags': [{'Key': 'team', 'Value': 'data'}]}]
    ids.append(ec2.create_volume(AvailabilityZone='us-east-1a', Size=size, VolumeType=kind, TagSpecifications=tags, **more)['VolumeId'])
for number, volume in enumerate(ids[:2]):
    ec2.attach_volume(VolumeId=volume, InstanceId=instance, Device='/dev/sd' + 'fg'[number])
now = datetime.datetime.now(datetime.timezone.utc).replace(minute=0, second=0, microsecond=0)
for volume in ids[:2]:
    for name, value in [('VolumeReadOps', 360000.0), ('VolumeWriteOps', 360000.0), ('VolumeReadBytes', 360000.0 * 8192), ('VolumeWriteBytes', 360000.0 * 8192)]:
        data = [{'MetricName': name, 'Dimensions': [{'Name': 'VolumeId', 'Value': volume}], 'Timestamp': now - datetime.timedelta(hours=hour), 'Value': value} for hour in range(1, 100)]
        cloudwatch.put_metric_data(Namespace='AWS/EBS', MetricData=data)
print('\n'.join(ids))
"#;

struct Moto(Child);

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_emulated_account_of_others_is_read_end_to_end() {
    let python = std::env::var("FATHOM_MOTO").unwrap_or_else(|_| "python3".to_owned());
    let has = Command::new(&python).args(["-c", "import boto3, moto.server"]).stderr(Stdio::null()).status();
    if !has.is_ok_and(|status| status.success()) {
        return fathom_skips::skipped("no moto");
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let serve = format!("from moto.server import main; main(['-H', '127.0.0.1', '-p', '{port}'])");
    let moto = Command::new(&python)
        .args(["-c", &serve])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(Moto)
        .unwrap();
    let url = format!("http://127.0.0.1:{port}");
    crate::typed::until("moto answers", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    // moto unpacks what its server has unpacked already.
    let mut make = Command::new(&python);
    let made = make.args(["-c", MAKE, &url]).env("AWS_DISABLE_REQUEST_COMPRESSION", "true").output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let ids = String::from_utf8(made.stdout).unwrap();
    let typist = Typist::new();
    let words =
        ["--region", "us-east-1", "--kept", "kept", "--json", "--by", "tag:team", "--report", "a.html"];
    let answer: Answer =
        account(&typist, &url, &[HOURS.as_slice(), &words].concat()).output().unwrap().into();
    drop(moto);
    assert_eq!(answer.status, 0, "{answer:?}");
    let record = answer.json();
    let place = &record["places"][0];
    // moto makes volumes of its own for an instance's root.
    let own = |list: &Value| {
        list.as_array().unwrap().iter().filter(|of| ids.contains(of["volume"].as_str().unwrap())).count()
    };
    assert_eq!(
        (own(&place["unattached"]["listed"]), &place["gp2"]["volumes"].as_u64().is_some_and(|all| all > 0)),
        (1, &true),
        "{place}"
    );
    assert_eq!(group(place, "tag:team", "data")["volumes"], 3);
    assert_eq!(place["fleet"]["sized"], 2, "{place}");
    assert!(own(&place["changes"]) >= 1, "{place}");
    assert!(std::fs::read_to_string(typist.path("a.html")).unwrap().contains("modify-volume"));
}
