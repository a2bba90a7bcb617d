//! Published evaluations, repeated.

use serde_json::Value;

use crate::typed::Typist;

/// Short runs of simulated devices.
const SHORT: [&str; 9] =
    ["--time", "200ms", "--warmup", "50ms", "--passes", "3", "--size", "1GiB", "--quiet"];

/// The conclusions of a repetition whose `reading`, `published` or `own`, came to that standing.
fn standing<'a>(record: &'a Value, reading: &str, standing: &str) -> Vec<&'a str> {
    let both = record["plan"]["conclusions"]
        .as_array()
        .unwrap()
        .iter()
        .zip(record["conclusions"].as_array().unwrap());
    let fits = both.filter(|(_, result)| result[reading]["standing"] == standing);
    fits.map(|(conclusion, _)| conclusion["says"].as_str().unwrap()).collect()
}

fn repeated(typist: &Typist, words: &[&str]) -> Value {
    typist.json(&[&["repeat"], words, &SHORT[..], &["--json"]].concat())
}

#[test]
fn the_list_says_what_each_evaluation_needs_takes_and_writes() {
    let typist = Typist::new();
    let list = typist.run(&["repeat", "--list"]);
    assert_eq!(list.status, 0, "{list:?}");
    for part in [
        "bdevperf-one-core",
        "gp3-vs-local-nvme",
        "nvmeof-initiators",
        "windows-arm-ebs",
        "windows-native-nvme",
        "needs   gp3: a gp3 volume of 16000 IOPS",
        "54 h as published",
        "its own lengths were not published",
        "writes  at the published rates",
    ] {
        assert!(list.stdout.contains(part), "{part}: {}", list.stdout);
    }
}

#[test]
fn what_published_figures_do_not_support_is_said_of_each_of_the_five() {
    let typist = Typist::new();
    let drives = ["--target", "sim:gp3", "--target", "sim:gp3,seed=2", "--target", "sim:gp3,seed=3"];
    // In real time, since its jobs are bound to a processor; whether they keep up here is not asked.
    let words =
        [&["repeat", "bdevperf-one-core", "--engine=sim", "--real-time", "--json"], &drives[..], &SHORT[..]];
    let bdevperf = typist.run(&words.concat()).json();
    assert!(standing(&bdevperf, "published", "does_not_hold").is_empty(), "{bdevperf}");
    // Of one drive no rate was published.
    let open = standing(&bdevperf, "published", "not_decided");
    assert_eq!(open, ["two drives on one core give less than twice one drive"]);

    let nvmeof = repeated(&typist, &[&["nvmeof-initiators"], &drives[..]].concat());
    assert_eq!(
        standing(&nvmeof, "published", "does_not_hold"),
        [
            "1M reads of the Linux initiator fill the network",
            "all I/Os that were asked for were in flight: random 4K reads of StarWind",
            "what eight drives should give at random 64K reads goes through the network",
            "what eight drives should give at 1M reads goes through the network",
        ]
    );
    assert!(standing(&nvmeof, "published", "not_decided").is_empty());

    let arm = repeated(&typist, &["windows-arm-ebs", "--target", "sim:gp3"]);
    assert_eq!(standing(&arm, "published", "holds").len(), 6);
    let native = repeated(&typist, &[&["windows-native-nvme"], &drives[..4]].concat());
    assert_eq!(
        standing(&native, "published", "does_not_hold"),
        ["both stacks had as many I/Os in flight: sequential 64K writes"]
    );
    let gp3 = repeated(&typist, &[&["gp3-vs-local-nvme"], &drives[..4]].concat());
    assert!(standing(&gp3, "published", "holds").len() == gp3["conclusions"].as_array().unwrap().len());
}

/// Rates of both sides as they were published: the volume's at its two limits, the local drive's at what it gave.
#[test]
fn devices_of_the_published_rates_give_the_published_conclusions() {
    let typist = Typist::new();
    let sides = [
        "gp3-vs-local-nvme",
        "--side",
        "local NVMe=sim:gp3,iops=170000,throughput=867MiB/s",
        "--side",
        "gp3=sim:gp3,iops=16000,throughput=1000MiB/s",
    ];
    let found = repeated(&typist, &sides);
    let holds = standing(&found, "own", "holds");
    for says in [
        "4K tests make gp3 look ten times worse than local NVMe",
        "at the application's size gp3 beats local NVMe",
        "the median of writes is no higher on gp3",
    ] {
        assert!(holds.contains(&says), "{says}: {found:#}");
    }
    let id = found["id"].as_str().unwrap();
    let shown = typist.run(&["show", id]);
    assert!(shown.status == 0 && shown.stdout.contains("what differs"), "{shown:?}");
    let line = found["command"].as_str().unwrap();
    assert!(
        line.starts_with("fathom repeat gp3-vs-local-nvme --side='local NVMe=sim:gp3")
            || line.contains("--side"),
        "{line}"
    );
    let again = typist.run(&[&["repeat"], &sides[..], &SHORT[..]].concat());
    assert_eq!(again.status, 0, "{again:?}");
}

/// A volume of the published rates, whose writes of 128K take twice what reads do in the queue.
#[test]
fn a_volume_of_the_published_rates_gives_every_conclusion_of_the_arm_evaluation() {
    let typist = Typist::new();
    let volume = "sim:gp3,iops=15700,throughput=331MiB/s,servers=64,read=500us,write=2ms,write-stream=12MB/s,size=20GiB";
    let words = ["repeat", "windows-arm-ebs", "--target", volume, "--time", "1s", "--passes", "3", "--json"];
    let found = typist.json(&words);
    assert_eq!(standing(&found, "own", "holds").len(), 6, "{:#}", found["conclusions"]);
}

/// One drive of eight, behind its eighth of the network, and a host that takes three quarters of its small reads.
#[test]
fn a_network_of_the_published_rates_gives_the_conclusions_about_it() {
    let typist = Typist::new();
    let drive = "sim:nvmeof,link=6.25GB/s,round-trip=1us";
    let slower = format!("{drive},iops=540k");
    let words = [
        "nvmeof-initiators",
        "--local=sim:nvme",
        "--remote",
        drive,
        "--remote",
        &slower,
        "--bound",
        "the clients' network=6.25GB/s",
    ];
    let found = repeated(&typist, &words);
    let (holds, not) = (standing(&found, "own", "holds"), standing(&found, "own", "does_not_hold"));
    for says in [
        "the Linux initiator gives local performance within 4 % at random 4K reads",
        "the Linux initiator gives local performance within 4 % at random 64K writes",
        "random 64K reads of the Linux initiator fill the network",
        "StarWind's initiator gives 75 to 80 % of Linux's random 4K reads",
        "what eight drives should give at random 4K reads goes through the network",
    ] {
        assert!(holds.contains(&says), "{says}: {:#}", found["conclusions"]);
    }
    for says in [
        "what eight drives should give at random 64K reads goes through the network",
        "what eight drives should give at 1M reads goes through the network",
    ] {
        assert!(not.contains(&says), "{says}: {:#}", found["conclusions"]);
    }
}

/// Two stacks of the published rates of random I/O; simulated time knows no processor.
#[test]
fn stacks_of_the_published_rates_give_the_conclusions_about_random_io() {
    let typist = Typist::new();
    let drives = "size=100GiB,servers=256,write=540us";
    let translating = format!("sim:ideal,{drives},read=160us,read-stream=1.31GB/s");
    let native = format!("sim:ideal,{drives},read=97us,read-stream=886MB/s");
    let found = repeated(&typist, &["windows-native-nvme", "--target", &translating, "--target", &native]);
    let holds = standing(&found, "own", "holds");
    for says in [
        "random 4K reads gain 65 % IOPS",
        "their latency falls by 38 %",
        "random 64K reads gain 23 % IOPS",
        "random 4K writes are unchanged",
        "random 64K writes are unchanged",
    ] {
        assert!(holds.contains(&says), "{says}: {:#}", found["conclusions"]);
    }
    assert_eq!(standing(&found, "own", "not_decided").len(), 4);
}

/// Two clients with a throttle each are twice one, and what is called local is measured here, by all of its jobs.
#[test]
fn clients_share_the_jobs_of_a_remote_side() {
    let typist = Typist::new();
    let table = "title = \"one drive and two clients\"\n\
        [[side]]\nname = \"local\"\nwas = \"one drive\"\n\
        [[side]]\nname = \"far\"\nwas = \"the drive, from two clients\"\nclients = 2\n\
        [[step]]\nname = \"reads\"\nrows = [\"reads\"]\n\
        plan = { rw = \"randread\", bs = \"4k\", jobs = 4, depth = 2 }\n\
        [[row]]\npattern = \"reads\"\nside = \"local\"\niops = 1000\n\
        [[row]]\npattern = \"reads\"\nside = \"far\"\niops = 2000\n\
        [[conclusion]]\nsays = \"two clients double it\"\nfigure = \"iops\"\n\
        of = { step = \"reads\", side = \"far\" }\nover = { step = \"reads\", side = \"local\" }\n\
        at_least = 1.3\nat_most = 2.7\n";
    std::fs::write(typist.path("two.toml"), table).unwrap();
    let file = typist.path("two.toml");
    let words = [
        "repeat",
        file.to_str().unwrap(),
        "--local",
        "null:",
        "--remote",
        "null:",
        "--client",
        "a=local",
        "--client",
        "b=local",
        "--throttle",
        "iops=300",
        "--time",
        "600ms",
        "--warmup",
        "200ms",
        "--passes",
        "3",
        "--json",
    ];
    let found = typist.json(&words);
    assert_eq!(standing(&found, "own", "holds"), ["two clients double it"], "{found:#}");
    let plan = |step: usize, key: &str| found["plan"]["steps"][step]["plan"][key].clone();
    assert_eq!((plan(0, "jobs"), plan(0, "client").is_null()), (4.into(), true), "{found:#}");
    assert_eq!((plan(1, "jobs"), plan(1, "client").is_null()), (2.into(), false), "{found:#}");
    assert!(found["command"].as_str().unwrap().contains("--client"), "{}", found["command"]);
}

#[test]
fn mistakes_say_what_to_type() {
    let typist = Typist::new();
    let said = |words: &[&str]| {
        let refused = typist.run(&[&["repeat"], words].concat());
        assert_eq!(refused.status, 2, "{refused:?}");
        refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(said(&["gp3-vs-local-nvm", "--target", "sim:gp3"]).contains("did you mean gp3-vs-local-nvme?"));
    assert!(said(&["gp3-vs-local-nvme", "--target", "sim:gp3"]).contains("--side 'gp3=TARGET'"));
    assert!(said(&["gp3-vs-local-nvme", "--side", "gp=sim:gp3"]).contains("unknown side `gp`"));
    assert!(
        said(&["bdevperf-one-core", "--target", "sim:gp3", "--local", "sim:gp3"]).contains("no side `local`")
    );

    let table = |more: &str| {
        let row = "title = \"t\"\n[[row]]\npattern = \"a\"\niops = 10\n";
        std::fs::write(typist.path("t.toml"), format!("{row}{more}")).unwrap();
        let file = typist.path("t.toml");
        said(&[file.to_str().unwrap(), "--target", "sim:gp3"])
    };
    assert!(table("").contains("no [[step]]"));
    assert!(table("[[step]]\nname = \"s\"\nrows = [\"b\"]\nplan = {}\n").contains("the row \"b\""));
    let step = "[[step]]\nname = \"s\"\nrows = [\"a\"]\nplan = { dpeth = 3 }\n";
    assert!(table(step).contains("did you mean `depth`?"), "{}", table(step));
    let step = "[[step]]\nname = \"s\"\nplan = {}\n[[conclusion]]\nsays = \"x\"\nfigure = \"iops\"\n";
    assert!(
        table(&format!("{step}of = {{ step = \"z\" }}\nat_most = 1\n"))
            .contains("neither a step nor a bound")
    );
    assert!(table(&format!("{step}of = {{ step = \"s\" }}\n")).contains("no range"));
    assert!(table(&format!("{step}of = {{ step = \"s\" }}\nat_mots = 1\n")).contains("at_most"));
}

/// Jobs and depth of a step on a side.
fn counts(record: &Value, name: &str, side: &str) -> (u64, u64) {
    let steps = record["plan"]["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["name"] == name && step["side"] == side).unwrap();
    let count = |key: &str| {
        let value = &step["plan"][key];
        value.as_u64().or_else(|| value.as_str()?.parse().ok()).unwrap_or_else(|| panic!("{key}: {step}"))
    };
    (count("jobs"), count("depth"))
}

#[test]
fn jobs_and_depths_are_in_proportion_to_what_one_drive_here_does_best_with() {
    let typist = Typist::new();
    let drive = "sim:ideal,servers=4,read=100us,size=1GiB";
    let words = ["assess", drive, "--patterns", "randread-4k", "--budget", "4s", "--quiet", "--json"];
    let assessed = typist.json(&words);
    let pattern = &assessed["patterns"][0];
    let points = pattern["operating_points"].as_array().unwrap();
    let best = points.iter().find(|point| point["kind"] == "balanced").unwrap();
    let cell = &pattern["cells"][best["cell"].as_u64().unwrap() as usize];
    let (jobs, depth) = (cell["jobs"].as_u64().unwrap(), cell["depth"].as_u64().unwrap());

    let id = assessed["id"].as_str().unwrap();
    let remote = ["--side", "Linux=sim:nvme", "--side", "StarWind=sim:nvme,seed=2"];
    let words = [&["nvmeof-initiators", "--local", drive, "--optimum", id], &remote[..]].concat();
    let found = repeated(&typist, &words);
    assert_eq!(counts(&found, "randread-4k", "local"), (jobs, depth));
    // There 64 jobs for eight drives, so 8 for the one here, scaled from 8 at the optimum of one.
    assert_eq!(counts(&found, "randread-4k", "Linux"), (jobs, depth));
    // What was not assessed is as it was published.
    assert_eq!(counts(&found, "randwrite-4k", "local"), (4, 4));
    let notes = found["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap());
    let notes = notes.collect::<Vec<_>>().join("\n");
    let said = format!(
        "randread-4k does best for its latency at {jobs} × {depth} on one device here, and at 8 × 32 there"
    );
    assert!(notes.contains(&said), "{notes}");
    let command = found["command"].as_str().unwrap();
    assert!(command.contains("--optimum") && command.contains(id), "{command}");

    for (name, part) in [("last", "this is not an assessment"), ("c-none", "c-none")] {
        let words =
            [&["repeat", "nvmeof-initiators", "--local", drive, "--optimum", name], &remote[..]].concat();
        let refused = typist.run(&words);
        assert!(refused.status == 2 && refused.stderr.contains(part), "{refused:?}");
    }
}

#[test]
fn a_file_is_listed_with_what_does_not_fit_in_it() {
    let typist = Typist::new();
    let text = "title = \"T\"\n[[side]]\nname = \"a\"\nwas = \"x\"\n[[side]]\nname = \"b\"\nwas = \"y\"\n\
                [[step]]\nname = \"s\"\nrows = [\"r\"]\nplan = { rw = \"randread\", bs = \"4k\", depth = 8 }\n\
                [[row]]\npattern = \"r\"\nside = \"a\"\niops = 1000\nblock_bytes = 8192\n\
                [[row]]\npattern = \"other\"\nside = \"b\"\niops = 900\n";
    std::fs::write(typist.path("mine.toml"), text).unwrap();
    let list = typist.run(&["repeat", "mine.toml", "--list"]);
    assert_eq!(list.status, 0, "{list:?}");
    for part in [
        "needs   a: x",
        "blocks of bytes: 4096 in its plan, and 8192 in the row \"r\" of a",
        "Step \"s\" has no row of side \"b\"",
        "No step uses the row \"other, b\"",
    ] {
        assert!(list.stdout.contains(part), "{part}: {}", list.stdout);
    }
    let sides = ["mine.toml", "--side", "a=sim:nvme", "--side", "b=sim:nvme,seed=2"];
    let notes = repeated(&typist, &sides)["notes"].to_string();
    assert!(notes.contains("8192 in the row"), "{notes}");
    let stranger = text.replace("side = \"b\"\niops", "side = \"c\"\niops");
    std::fs::write(typist.path("mine.toml"), stranger).unwrap();
    let refused = typist.run(&["repeat", "mine.toml", "--list"]);
    assert!(refused.status == 2 && refused.stderr.contains("is of the side \"c\""), "{refused:?}");
}
