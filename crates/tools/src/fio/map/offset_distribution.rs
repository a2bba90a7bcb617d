//! Which offsets: in order, or by one of fio's random distributions.

use fathom_record::workload::{Addresses, Sizes, SizesByDirection, Zone};

use super::Mapper;
use super::direction::Kind;
use crate::fio::value::{self, Size};
use crate::{Fault, Refusal};

/// Zones that a distribution may have: as many as fio takes.
const MOST_ZONES: usize = 256;

impl Mapper<'_> {
    pub(super) fn addresses(&mut self, kind: &Kind, sizes: &SizesByDirection) -> Result<Addresses, Refusal> {
        let parts = self.parts(kind)?;
        if !kind.random {
            return Ok(parts.unwrap_or_else(|| self.in_order(kind, sizes)));
        }
        if let Some(share) = self.random_share(sizes.own_alignment)? {
            return Ok(share);
        }
        // Another alignment than the smallest size turns fio's map of blocks off.
        let own_alignment =
            self.job.last("ba").is_some_and(|given| given.text() != self.job.text("bs").unwrap_or("4k"));
        let without_map = self.job.flag("norandommap", false)? || own_alignment;
        let plain = if without_map { Addresses::RandomIndependent } else { Addresses::RandomCycle };
        let Some(given) = self.job.last("random_distribution") else { return Ok(plain) };
        let (word, rest) = given.text().split_once(':').unwrap_or((given.text(), ""));
        let number = |rest: &str, default: f64| {
            let first = rest.split([':', ',']).next().unwrap_or_default();
            let number = if rest.is_empty() { Some(default) } else { finite(first) };
            number.ok_or_else(|| given.refuse(format!("`{rest}` is not a number")))
        };
        Ok(match word {
            "random" => plain,
            "zipf" => Addresses::Zipf { exponent: number(rest, 1.1)? },
            "pareto" => Addresses::Pareto { skew: number(rest, 0.2)? },
            "normal" | "gauss" => {
                self.warn("random_distribution=normal: the popular blocks lie together in the middle; fio scatters them");
                Addresses::Normal { deviation: normal_deviation(number(rest, 0.0)?) }
            }
            "zoned" => self.zoned(rest)?,
            other => {
                self.hand_over(format!("random_distribution={other}: fathom has no such pattern"));
                plain
            }
        })
    }

    /// One after the other, with a hole after each where `rw=read:8k` asks for it.
    fn in_order(&mut self, kind: &Kind, sizes: &SizesByDirection) -> Addresses {
        if kind.hole_bytes == 0 && kind.back_bytes == 0 {
            return Addresses::Sequential;
        }
        match (&sizes.read, &sizes.write) {
            (Sizes::Fixed { bytes }, Sizes::Fixed { bytes: write })
                if bytes == write && kind.back_bytes > 0 =>
            {
                if kind.back_bytes <= *bytes {
                    self.hand_over(
                        "rw=...:-N: with N no more than the size of an I/O nothing goes backwards",
                    );
                }
                Addresses::Backwards { step_bytes: kind.back_bytes.saturating_sub(*bytes).max(512) }
            }
            (Sizes::Fixed { bytes }, Sizes::Fixed { bytes: write }) if bytes == write => {
                Addresses::Parts { part_bytes: *bytes, gap_bytes: kind.hole_bytes }
            }
            _ => {
                self.hand_over("rw=...:N with several sizes: the distance of two I/Os would not be one");
                Addresses::Sequential
            }
        }
    }

    /// Strided zones: I/O in order within each, then on to the next.
    fn parts(&mut self, kind: &Kind) -> Result<Option<Addresses>, Refusal> {
        let kilo = self.kilo;
        let read = |name: &str| {
            let size = self.job.read(name, |text| value::size(text, kilo))?;
            Ok::<_, Refusal>(match size {
                Some(Size::Bytes(bytes)) => bytes,
                _ => 0,
            })
        };
        let (part_bytes, range_bytes, skip_bytes) =
            (read("zonesize")?, read("zonerange")?, read("zoneskip")?);
        // A size of zones alone means strided ones, as it did before there was a mode.
        let mode = self.job.text("zonemode").unwrap_or(if part_bytes > 0 { "strided" } else { "none" });
        match mode {
            "none" => return Ok(None),
            "strided" if part_bytes > 0 => {}
            "strided" => {
                self.hand_over("zonemode=strided needs a zonesize in bytes");
                return Ok(None);
            }
            mode => {
                self.hand_over(format!("zonemode={mode}: fathom knows nothing of zones of devices"));
                return Ok(None);
            }
        }
        let range_bytes = if range_bytes == 0 { part_bytes } else { range_bytes };
        if kind.random || kind.hole_bytes > 0 || kind.back_bytes > 0 {
            self.hand_over("zonemode=strided: within zones fathom goes in order alone");
        } else if range_bytes < part_bytes {
            self.hand_over("zonerange below zonesize: fathom goes through a zone once, not several times");
        }
        let gap_bytes = range_bytes.saturating_sub(part_bytes).saturating_add(skip_bytes);
        Ok(Some(Addresses::Parts { part_bytes, gap_bytes }))
    }

    /// The share of random offsets among those that follow the last I/O.
    fn random_share(&mut self, own_grids: bool) -> Result<Option<Addresses>, Refusal> {
        let Some(given) = self.job.last("percentage_random") else { return Ok(None) };
        let each: Result<Vec<u64>, Fault> =
            value::triple(given.text()).into_iter().flatten().map(value::int).collect();
        let each = each.map_err(|fault| given.refuse(fault))?;
        match each.first() {
            None | Some(100) if each.iter().all(|percent| *percent == 100) => Ok(None),
            Some(0) if each.iter().all(|percent| *percent == 0) => Ok(Some(Addresses::Sequential)),
            Some(percent) if *percent < 100 && each.iter().all(|other| other == percent) && !own_grids => {
                let jump_share = *percent as f64 / 100.0;
                Ok(Some(Addresses::Laps { step_bytes: None, apart_bytes: 0, jump_share }))
            }
            _ => {
                let words = "directions with shares or grids of their own are not alike";
                self.hand_over(format!("percentage_random={}: {words}", given.text()));
                Ok(None)
            }
        }
    }

    /// `50/5:30/15:20/80`: shares of the accesses and of the span; a part without its second number takes
    /// what is left.
    fn zoned(&mut self, text: &str) -> Result<Addresses, Refusal> {
        let given = self.job.last("random_distribution").expect("it was read to come here");
        let each = value::triple(text);
        if each.iter().any(|part| *part != each[0]) {
            self.hand_over("random_distribution=zoned: the zones are the same for all directions");
        }
        let mut zones: Vec<(f64, Option<f64>)> = Vec::new();
        for part in each[0].unwrap_or_default().split(':').filter(|part| !part.is_empty()) {
            let (access, span) = part.split_once('/').unwrap_or((part, ""));
            let percent = |text: &str| {
                let share = finite(text).filter(|share| *share >= 0.0);
                share.ok_or_else(|| given.refuse(format!("`{part}` is not a valid zone")))
            };
            zones.push((percent(access)?, if span.trim().is_empty() { None } else { Some(percent(span)?) }));
        }
        let given_span: f64 = zones.iter().filter_map(|(_, span)| *span).sum();
        let open = zones.iter().filter(|(_, span)| span.is_none()).count().max(1) as f64;
        let access: f64 = zones.iter().map(|(access, _)| access).sum();
        if zones.is_empty() || zones.len() > MOST_ZONES || access <= 0.0 || given_span > 100.0 {
            return Err(given.refuse("its zones do not add up").or("write them as zoned:60/10:30/20:10/70"));
        }
        let zone = |(share, span): (f64, Option<f64>)| Zone {
            access_share: share / access,
            span_share: span.unwrap_or((100.0 - given_span) / open) / 100.0,
        };
        let mut zones: Vec<Zone> = zones.into_iter().map(zone).collect();
        let spans: f64 = zones.iter().map(|zone| zone.span_share).sum();
        if spans <= 0.0 {
            return Err(given.refuse("its zones have no share of the span"));
        }
        zones.iter_mut().for_each(|zone| zone.span_share /= spans);
        Ok(Addresses::Zoned { zones })
    }
}

/// A number with a point, that is one.
fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// fio draws the mean of twelve numbers that are uniform over the span and adds one that is uniform over
/// the deviation: the standard deviation of the sum, as a share of the span.
fn normal_deviation(percent: f64) -> f64 {
    let share = percent.clamp(0.0, 100.0) / 100.0;
    (1.0 / 144.0 + share * share / 12.0).sqrt()
}
