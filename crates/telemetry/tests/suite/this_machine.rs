//! The sampler and the environment on the machine that the tests run on.
#![cfg(target_os = "linux")]

use std::time::Duration;

use fathom_measure::{Clock, WallClock};
use fathom_record::facts::DeviceFacts;
use fathom_telemetry::process::usage;
use fathom_telemetry::{Sampler, SamplerPlan, environment};

/// Some block device that this machine has, if it shows any.
fn device() -> Option<String> {
    let mut names: Vec<String> = std::fs::read_dir("/sys/block")
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort_by_key(|name| (name.starts_with("loop"), name.clone()));
    names.into_iter().next()
}

#[test]
fn a_second_of_this_machine_has_processors_and_stays_cheap() {
    let (clock, _) = WallClock::start();
    let devices: Vec<String> = device().into_iter().collect();
    let plan = SamplerPlan { devices: devices.clone(), period_ns: 300_000_000, ..SamplerPlan::default() };
    let sampler = Sampler::start(plan, clock);
    let origin_ns = clock.now_ns();
    let worked_ns = || usage().map(|used| used.user_ns + used.system_ns).unwrap();
    let before_ns = worked_ns();
    while worked_ns() < before_ns + 100_000_000 {}
    let (mut samples, mut newest_ns) = (0, origin_ns);
    while samples < 3 {
        assert!(clock.now_ns() < origin_ns + 30_000_000_000, "{samples} samples");
        std::thread::sleep(Duration::from_millis(5));
        if let Some(latest) = sampler.latest().filter(|latest| latest.at_ns > newest_ns) {
            (samples, newest_ns) = (samples + 1, latest.at_ns);
        }
    }
    let latest = sampler.latest().expect("three periods are over");
    let busy = latest.find("cpu.busy", "").unwrap();
    assert!((0.0..=1.0).contains(&busy) && latest.at_ns > origin_ns, "{busy}");
    let telemetry = sampler.finish(origin_ns);
    assert!(telemetry.at_ns.len() >= 3, "{:?}", telemetry.at_ns);
    assert!(telemetry.at_ns.windows(2).all(|pair| pair[0] < pair[1]));
    for core in telemetry.all("cpu.idle").filter(|series| !series.label.is_empty()) {
        for sample in 0..telemetry.at_ns.len() {
            let kinds = ["user", "system", "irq", "softirq", "steal", "iowait", "idle"];
            let shares: Vec<Option<f64>> = kinds
                .iter()
                .map(|kind| telemetry.find(&format!("cpu.{kind}"), &core.label).unwrap().values[sample])
                .collect();
            let Some(shares) = shares.into_iter().collect::<Option<Vec<f64>>>() else { continue };
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{shares:?}");
        }
    }
    let cores = |metric: &str| telemetry.find(metric, "").and_then(|series| series.max()).unwrap();
    assert!(cores("process.user") + cores("process.system") > 0.05, "the loop above is seen");
    for device in &devices {
        assert!(telemetry.find("disk.reads", device).is_some(), "{device}");
    }
    let perf_known =
        telemetry.find("perf.cycles", "").or_else(|| telemetry.find("perf.cycles", "user")).is_some();
    assert!(
        perf_known || telemetry.absent.iter().any(|absent| absent.source == "perf"),
        "{:?}",
        telemetry.absent
    );
    let own_ns = telemetry.own_cpu_ns.unwrap();
    assert!(own_ns > 0 && own_ns < 100_000_000, "{own_ns}");
}

#[test]
fn a_run_shorter_than_a_period_has_its_one_sample() {
    let (clock, _) = WallClock::start();
    let plan = SamplerPlan { period_ns: 60_000_000_000, ..SamplerPlan::default() };
    let sampler = Sampler::start(plan.clone(), clock);
    // The time itself is needed: at the end an interval shorter than 50 ms is not sampled.
    std::thread::sleep(Duration::from_millis(120));
    let stopping_ns = clock.now_ns();
    assert!(sampler.latest().is_none());
    assert_eq!(sampler.finish(stopping_ns).at_ns.len(), 1);
    let brief = Sampler::start(plan.clone(), clock).finish(0);
    let long_after_ns = clock.now_ns() - stopping_ns;
    assert!(long_after_ns < 10_000_000_000, "stopping does not wait for the period's end");
    if long_after_ns < 50_000_000 {
        assert!(brief.at_ns.is_empty(), "a few milliseconds are too short for the kernel's ticks");
    }
    drop(Sampler::start(plan, clock));
}

#[test]
fn the_environment_of_this_machine_is_described() {
    let devices: Vec<DeviceFacts> =
        device().into_iter().map(|name| DeviceFacts { name, ..DeviceFacts::default() }).collect();
    let folder = tempfile::tempdir().unwrap();
    let found = environment::collect(&devices, Some(&folder.path().join("not-there-yet")));
    assert!(!found.os.is_empty() && found.kernel.contains('.'), "{found:?}");
    assert!(found.cpus >= 1 && found.numa_nodes >= 1 && found.memory_bytes > 1 << 20);
    let fact = |group: &str, name: &str| found.facts.iter().any(|f| f.group == group && f.name == name);
    assert!(fact("file_system", "kind") && fact("memory", "total_bytes") && fact("cpu", "online_count"));
    assert!(
        found.facts.iter().all(|fact| !fact.source.is_empty() && !fact.value.is_empty()),
        "{:#?}",
        found.facts
    );
    assert!(found.preflight.iter().any(|finding| finding.setting.ends_with(": file system")));
    assert!(found.preflight.windows(2).all(|pair| pair[0].severity >= pair[1].severity));
}
