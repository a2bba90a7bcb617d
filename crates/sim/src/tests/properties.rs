//! What holds for every device: order, causality, determinism, no rate above its limit.

use fathom_record::Direction;
use proptest::prelude::*;

use super::{device, parameters};
use crate::{SimDevice, describe};

/// Arrivals as gap, direction, place and length in blocks.
fn arrivals() -> impl Strategy<Value = Vec<(u64, usize, u64, u64)>> {
    prop::collection::vec((0u64..2_000_000, 0usize..4, 0u64..4096, 0u64..600), 1..200)
}

fn serve_all(device: &mut SimDevice, arrivals: &[(u64, usize, u64, u64)]) -> Vec<(u64, u64)> {
    let mut now_ns = 0;
    let mut served = Vec::new();
    for &(gap_ns, direction, place, blocks) in arrivals {
        now_ns += gap_ns;
        let direction = Direction::ALL[direction];
        let bytes = if direction == Direction::Flush { 0 } else { (blocks + 1) * 4096 };
        served.push((now_ns, device.serve(1, now_ns, direction, place * 4096, bytes)));
    }
    served
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn nothing_ends_before_it_arrives_and_a_seed_replays(arrivals in arrivals(), seed in 0u64..1000) {
        for preset in describe() {
            let text = format!("{},noise=2%,noise-time=1s,seed={seed}", preset.name);
            let served = serve_all(&mut device(&text), &arrivals);
            prop_assert!(served.iter().all(|&(arrival, end)| end >= arrival), "{}", text);
            prop_assert_eq!(&served, &serve_all(&mut device(&text), &arrivals), "{}", text);
        }
    }

    #[test]
    fn one_server_of_constant_speed_keeps_the_order(arrivals in arrivals(), tags in 1u32..8, iops in 100u64..50_000) {
        let text = format!(
            "stall,tags={tags},iops={iops},throughput=100MB/s,base=20us,\
             flush=100us,stall-every=50ms,stall-length=7ms,stall-phase=3ms"
        );
        let served = serve_all(&mut device(&text), &arrivals);
        prop_assert!(served.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    }

    #[test]
    fn no_window_moves_more_than_its_limit_and_the_bucket(
        arrivals in arrivals(), rate in 1_000_000u64..500_000_000, bucket in 0u64..10_000_000,
    ) {
        // Service in no time: the ends are the moments at which the limit let I/Os pass.
        let text = format!(
            "ideal,servers=64,read=0,write=0,trim=0,flush=0,throughput={rate}B/s,throughput-bucket={bucket}"
        );
        let mut device = device(&text);
        let mut ends: Vec<(u64, u64)> = Vec::new();
        for ((_, end_ns), (_, direction, _, blocks)) in serve_all(&mut device, &arrivals).into_iter().zip(&arrivals) {
            let bytes = if *direction < 2 { (blocks + 1) * 4096 } else { 0 };
            ends.push((end_ns, bytes));
        }
        for first in 0..ends.len() {
            let mut moved = 0u128;
            for last in first..ends.len() {
                moved += u128::from(ends[last].1);
                let earned = u128::from(ends[last].0 - ends[first].0 + 1) * u128::from(rate) / 1_000_000_000 + 1;
                prop_assert!(moved <= earned + u128::from(bucket.max(ends[last].1)));
            }
        }
    }
}

#[test]
fn another_seed_is_another_device() {
    let arrivals: Vec<_> = (0..100).map(|i| (100_000, 0, i, 0)).collect();
    let run = |text: &str| serve_all(&mut device(text), &arrivals);
    assert_ne!(run("nvme,seed=1"), run("nvme,seed=2"));
    assert_eq!(run("ideal,seed=1"), run("ideal,seed=2"), "nothing is random in it");
}

#[test]
fn parameters_survive_json() {
    for preset in describe() {
        let parameters = parameters(preset.name);
        assert_eq!((parameters.name.as_str(), parameters.size_bytes), (preset.name, preset.size_bytes));
        let json = serde_json::to_string(&parameters).unwrap();
        assert_eq!(serde_json::from_str::<super::SimParameters>(&json).unwrap(), parameters);
    }
}
