//! Address patterns as text, and which kinds of `rw` they go with.

use fathom_record::Fault;
use fathom_record::spelling::nearest;
use fathom_record::workload::{Addresses, HotSpot, Zone};

use super::quantity::{bytes, decimal, share, write_bytes, write_share};

const NAMES: [&str; 13] = [
    "cycle",
    "independent",
    "sequential",
    "interlocked",
    "strided",
    "backwards",
    "parts",
    "laps",
    "zipf",
    "pareto",
    "normal",
    "hotspot",
    "zoned",
];

/// Reads a pattern: a name, and behind a colon what it takes.
pub(super) fn read(text: &str) -> Result<Addresses, Fault> {
    let (name, value) = text.split_once(':').map_or((text, None), |(name, value)| (name, Some(value)));
    let needs = |example: &str| {
        value.ok_or_else(|| Fault::from(format!("`{name}` needs a value behind a colon, e.g. {example}")))
    };
    Ok(match name {
        "cycle" | "independent" | "sequential" | "interlocked" if value.is_some() => {
            return Err(Fault::from(format!("`{name}` takes no value: write `{name}` alone")));
        }
        "cycle" => Addresses::RandomCycle,
        "independent" => Addresses::RandomIndependent,
        "sequential" => Addresses::Sequential,
        "interlocked" => Addresses::Interlocked,
        "strided" => Addresses::Strided { stride_bytes: bytes(needs("strided:64k")?)? },
        "backwards" => Addresses::Backwards { step_bytes: bytes(needs("backwards:4k")?)? },
        "parts" => {
            const EXAMPLE: &str = "parts:256m/2g (part/gap)";
            let (part, gap) = needs(EXAMPLE)?.split_once('/').ok_or_else(|| {
                Fault::from(format!("`parts` needs the gap behind a part too, e.g. {EXAMPLE}"))
            })?;
            Addresses::Parts { part_bytes: bytes(part)?, gap_bytes: bytes(gap)? }
        }
        "laps" => laps(value.unwrap_or_default())?,
        "zipf" => Addresses::Zipf { exponent: decimal(needs("zipf:0.99")?)? },
        "pareto" => Addresses::Pareto { skew: share(needs("pareto:0.2")?)? },
        "normal" => Addresses::Normal { deviation: share(needs("normal:10%")?)? },
        "hotspot" => {
            let (access_share, span_share) = pair(needs("hotspot:90%/10% (accesses/span)")?)?;
            Addresses::HotSpot(HotSpot { span_share, access_share })
        }
        "zoned" => {
            let zones = needs("zoned:60%/10%,30%/20%,10%/70% (accesses/span)")?
                .split(',')
                .map(|zone| pair(zone).map(|(access_share, span_share)| Zone { access_share, span_share }));
            Addresses::Zoned { zones: zones.collect::<Result<_, _>>()? }
        }
        _ => return Err(unknown(name).into()),
    })
}

/// `step=4k,apart=1m,jumps=50%`, each of them optional.
fn laps(text: &str) -> Result<Addresses, Fault> {
    let (mut step_bytes, mut apart_bytes, mut jump_share) = (None, 0, 0.0);
    for part in text.split(',').filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some(("step", value)) => step_bytes = Some(bytes(value)?),
            Some(("apart", value)) => apart_bytes = bytes(value)?,
            Some(("jumps", value)) => jump_share = share(value)?,
            _ => {
                return Err(Fault::from(format!(
                    "`{part}` is nothing that laps take: write laps:step=4k,apart=1m,jumps=50%"
                )));
            }
        }
    }
    Ok(Addresses::Laps { step_bytes, apart_bytes, jump_share })
}

fn write_laps(step_bytes: Option<u64>, apart_bytes: u64, jump_share: f64) -> String {
    let step = step_bytes.map(|bytes| format!("step={}", write_bytes(bytes)));
    let apart = (apart_bytes > 0).then(|| format!("apart={}", write_bytes(apart_bytes)));
    let jumps = (jump_share > 0.0).then(|| format!("jumps={}", write_share(jump_share)));
    let parts: Vec<String> = [step, apart, jumps].into_iter().flatten().collect();
    if parts.is_empty() { "laps".to_owned() } else { format!("laps:{}", parts.join(",")) }
}

fn unknown(name: &str) -> String {
    match nearest(name, NAMES).first() {
        Some(near) => format!("`{name}` is not a valid address pattern: did you mean `{near}`?"),
        None => format!("`{name}` is not a valid address pattern: write one of {}", NAMES.join(", ")),
    }
}

fn pair(text: &str) -> Result<(f64, f64), Fault> {
    let (accesses, span) = text.split_once('/').ok_or_else(|| {
        Fault::from(format!("`{text}` lacks the share of the span: write accesses/span, e.g. 90%/10%"))
    })?;
    Ok((share(accesses)?, share(span)?))
}

pub(super) fn write(addresses: &Addresses) -> String {
    match addresses {
        Addresses::RandomCycle => "cycle".to_owned(),
        Addresses::RandomIndependent => "independent".to_owned(),
        Addresses::Sequential => "sequential".to_owned(),
        Addresses::Interlocked => "interlocked".to_owned(),
        Addresses::Strided { stride_bytes } => format!("strided:{}", write_bytes(*stride_bytes)),
        Addresses::Backwards { step_bytes } => format!("backwards:{}", write_bytes(*step_bytes)),
        Addresses::Parts { part_bytes, gap_bytes } => {
            format!("parts:{}/{}", write_bytes(*part_bytes), write_bytes(*gap_bytes))
        }
        Addresses::Laps { step_bytes, apart_bytes, jump_share } => {
            write_laps(*step_bytes, *apart_bytes, *jump_share)
        }
        Addresses::Zipf { exponent } => format!("zipf:{exponent}"),
        Addresses::Pareto { skew } => format!("pareto:{skew}"),
        Addresses::Normal { deviation } => format!("normal:{}", write_share(*deviation)),
        Addresses::HotSpot(spot) => {
            format!("hotspot:{}/{}", write_share(spot.access_share), write_share(spot.span_share))
        }
        Addresses::Zoned { zones } => {
            let zones = zones
                .iter()
                .map(|z| format!("{}/{}", write_share(z.access_share), write_share(z.span_share)));
            format!("zoned:{}", zones.collect::<Vec<_>>().join(","))
        }
        // A trace has a key of its own.
        Addresses::Traced(traced) => format!("those of {}", traced.file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pattern_reads_and_writes_alike() {
        for text in [
            "cycle",
            "independent",
            "sequential",
            "interlocked",
            "strided:64k",
            "backwards:4k",
            "parts:256m/2g",
            "laps",
            "laps:step=4k,apart=1m,jumps=50%",
            "zipf:0.99",
            "pareto:0.2",
            "normal:10%",
            "hotspot:90%/10%",
            "zoned:60%/10%,30%/20%,10%/70%",
        ] {
            let addresses = read(text).expect(text);
            assert_eq!(write(&addresses), text);
        }
        assert_eq!(
            read("hotspot:90%/10%"),
            Ok(Addresses::HotSpot(HotSpot { access_share: 0.9, span_share: 0.1 }))
        );
    }

    #[test]
    fn mistakes_say_what_to_write() {
        assert!(read("zipf").unwrap_err().cause.contains("e.g. zipf:0.99"));
        assert!(read("zpif:1").unwrap_err().cause.contains("did you mean `zipf`?"));
        assert!(read("gauss").unwrap_err().cause.contains("cycle, independent"));
        assert!(read("cycle:3").unwrap_err().cause.contains("takes no value"));
        assert!(read("hotspot:90%").unwrap_err().cause.contains("e.g. 90%/10%"));
        for text in [
            "",
            ":",
            "zipf:",
            "zipf:-1",
            "zoned:",
            "zoned:1/",
            "normal:10",
            "strided:x",
            "backwards",
            "parts:1m",
            "parts:1m/",
            "laps:x",
            "laps:step=",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
