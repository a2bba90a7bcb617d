//! A workload in a few words, for lists.

use fathom_measure::Bytes;
use fathom_record::Workload;
use fathom_record::workload::{Addresses, Arrival, Mix, Sizes};

/// As "4 KiB random read" or "4 KiB to 64 KiB Zipf 0.99 70/30 read/write, Poisson 5000/s".
pub fn pattern_text(workload: &Workload) -> String {
    let Workload { mix, addresses, arrival, .. } = workload;
    let mut text = format!("{} {} {}", sizes_text(workload), addresses_text(addresses), mix_text(mix));
    match arrival {
        Arrival::Closed => {}
        Arrival::Pausing { .. } => text += ", with pauses",
        Arrival::PerDirection { read_per_s, write_per_s, .. } => {
            let rate = |rate: &Option<f64>| rate.map_or("no".to_owned(), |rate| format!("{rate}/s"));
            text += &format!(", reads at {} and writes at {}", rate(read_per_s), rate(write_per_s));
        }
        Arrival::Constant { rate_per_s } => text += &format!(", constant {rate_per_s}/s"),
        Arrival::Poisson { rate_per_s } => text += &format!(", Poisson {rate_per_s}/s"),
        Arrival::Steps { rates_per_s, .. } => text += &format!(", {} rates", rates_per_s.len()),
        Arrival::Traced { speed } => text += &format!(", times {speed}"),
        Arrival::Ramp { from_per_s, to_per_s, .. } => text += &format!(", ramp {from_per_s} to {to_per_s}/s"),
    }
    text
}

/// Directions that move or name data, with their shares and sizes.
fn parts(workload: &Workload) -> impl Iterator<Item = (f64, &Sizes)> {
    let Workload { mix, sizes, .. } = workload;
    [(mix.read_share, &sizes.read), (mix.write_share(), &sizes.write), (mix.trim_share, &sizes.trim)]
        .into_iter()
        .filter(|(share, _)| *share > 0.0)
}

fn sizes_text(workload: &Workload) -> String {
    let least = parts(workload).map(|(_, sizes)| sizes.min_bytes()).min().unwrap_or(0);
    let most = parts(workload).map(|(_, sizes)| sizes.max_bytes()).max().unwrap_or(0);
    if least == most { Bytes(least).to_string() } else { format!("{} to {}", Bytes(least), Bytes(most)) }
}

fn addresses_text(addresses: &Addresses) -> String {
    match addresses {
        Addresses::RandomCycle | Addresses::RandomIndependent => "random".into(),
        Addresses::Sequential => "sequential".into(),
        Addresses::Interlocked => "interlocked sequential".into(),
        Addresses::Strided { stride_bytes } => format!("strided by {}", Bytes(*stride_bytes)),
        Addresses::Backwards { .. } => "backwards".into(),
        Addresses::Parts { .. } => "sequential in parts".into(),
        Addresses::Laps { jump_share, .. } if *jump_share > 0.0 => {
            format!("sequential with {:.0} % of jumps", jump_share * 100.0)
        }
        Addresses::Laps { step_bytes: Some(step), .. } => format!("sequential by {}", Bytes(*step)),
        Addresses::Laps { .. } => "sequential, each job over all".into(),
        Addresses::Zipf { exponent } => format!("Zipf {exponent}"),
        Addresses::Pareto { skew } => format!("Pareto {skew}"),
        Addresses::Normal { deviation } => format!("normal {deviation}"),
        Addresses::HotSpot(_) => "hot-spot".into(),
        Addresses::Zoned { .. } => "zoned".into(),
        Addresses::Traced(traced) => format!("trace {}", traced.file),
    }
}

fn mix_text(mix: &Mix) -> String {
    let parts = [(mix.read_share, "read"), (mix.write_share(), "write"), (mix.trim_share, "trim")];
    let used: Vec<(f64, &str)> = parts.into_iter().filter(|(share, _)| *share > 0.0).collect();
    let names: Vec<&str> = used.iter().map(|(_, name)| *name).collect();
    if used.len() < 2 {
        return names.concat();
    }
    let shares: Vec<String> = used.iter().map(|(share, _)| format!("{:.0}", share * 100.0)).collect();
    format!("{} {}", shares.join("/"), names.join("/"))
}
