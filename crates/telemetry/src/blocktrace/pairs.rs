//! The same I/O on both sides: found again by where it lies and when.
//!
//! Two at one place in flight at once cannot be told apart; they are counted and left out.

use fathom_record::Direction;

use super::sampling::SectorAddress;

/// Where an I/O lies: the disk's number, first sector, length.
pub type Place = (u32, u64, u32);

/// An I/O on one side, from its first stamp to its last, on the run's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where.
    pub place: Place,
    /// What it does.
    pub direction: Direction,
    /// Submission, or arrival in the block layer.
    pub from_ns: u64,
    /// Reaping, or the end in the block layer.
    pub to_ns: u64,
}

impl SectorAddress for Span {
    fn sector(&self) -> u64 {
        self.place.1
    }
}

/// An I/O's time, in three parts. The outer ones are negative where the clocks are off by more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Submission stamp to arrival in the block layer.
    pub before_ns: i64,
    /// Arrival to end there.
    pub inside_ns: u64,
    /// End there to the stamp at reaping.
    pub after_ns: i64,
}

impl Pair {
    /// Service latency.
    pub fn service_ns(&self) -> i64 {
        self.before_ns + self.inside_ns as i64 + self.after_ns
    }
}

/// One direction's I/Os, found again or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// Those that are on both sides.
    pub pairs: Vec<Pair>,
    /// I/Os of the run that the block layer does not have.
    pub run_alone: u64,
    /// I/Os of the block layer that the run does not have.
    pub block_alone: u64,
    /// I/Os of the run of which nobody can tell which one of the block layer's they are.
    pub ambiguous: u64,
}

/// Finds all again, by direction.
pub fn pair(mut run: Vec<Span>, mut block: Vec<Span>) -> [Pairing; 4] {
    let place = |span: &Span| (span.direction.index(), span.place);
    run.sort_unstable_by_key(|span| (place(span), span.from_ns));
    block.sort_unstable_by_key(|span| (place(span), span.from_ns));
    let (mut run, mut block) = (&run[..], &block[..]);
    let mut found: [Pairing; 4] = Default::default();
    while let Some(next) = run.first().into_iter().chain(block.first()).map(place).min() {
        let here = |spans: &[Span]| spans.iter().take_while(|span| place(span) == next).count();
        let (own, later) = run.split_at(here(run));
        let (seen, later_seen) = block.split_at(here(block));
        at_one_place(own, seen, &mut found[next.0]);
        (run, block) = (later, later_seen);
    }
    found
}

fn at_one_place(run: &[Span], block: &[Span], found: &mut Pairing) {
    // How many of the other side each one meets in time, and the last of them.
    let mut met = vec![0u32; block.len()];
    let mut meets = Vec::with_capacity(run.len());
    let mut first = 0;
    for own in run {
        while first < block.len() && block[first].to_ns <= own.from_ns {
            first += 1;
        }
        let (mut many, mut which) = (0u32, 0);
        for (at, seen) in block.iter().enumerate().skip(first).take_while(|(_, s)| s.from_ns < own.to_ns) {
            if seen.to_ns > own.from_ns {
                (many, which) = (many + 1, at);
                met[at] += 1;
            }
        }
        meets.push((many, which));
    }
    found.block_alone += met.iter().filter(|&&many| many == 0).count() as u64;
    for (own, (many, which)) in run.iter().zip(meets) {
        match many {
            0 => found.run_alone += 1,
            1 if met[which] == 1 => found.pairs.push(Pair {
                before_ns: block[which].from_ns as i64 - own.from_ns as i64,
                inside_ns: block[which].to_ns.saturating_sub(block[which].from_ns),
                after_ns: own.to_ns as i64 - block[which].to_ns as i64,
            }),
            _ => found.ambiguous += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn span(sector: u64, from_ns: u64, to_ns: u64) -> Span {
        Span { place: (1, sector, 4096), direction: Direction::Read, from_ns, to_ns }
    }

    proptest! {
        /// Places are used again and again, one I/O at a time: each is found, and its parts are the truth.
        #[test]
        fn each_is_found_among_those_at_its_place(
            ios in prop::collection::vec((0u64..6, 1u64..500, 1u64..500, 1u64..500, 0u64..50), 1..80),
            lost in prop::collection::vec(any::<bool>(), 80),
        ) {
            let mut free = [0u64; 6];
            let (mut run, mut block, mut truth) = (Vec::new(), Vec::new(), Vec::new());
            for (&(place, before, inside, after, rest), lost) in ios.iter().zip(lost) {
                let from = free[place as usize] + rest;
                let to = from + before + inside + after;
                free[place as usize] = to;
                run.push(span(place * 8, from, to));
                if !lost {
                    block.push(span(place * 8, from + before, from + before + inside));
                    truth.push((before as i64, inside, after as i64));
                }
            }
            block.reverse();
            let many = run.len();
            let [found, ..] = pair(run, block);
            let mut parts: Vec<_> =
                found.pairs.iter().map(|p| (p.before_ns, p.inside_ns, p.after_ns)).collect();
            parts.sort_unstable();
            truth.sort_unstable();
            prop_assert_eq!(found.run_alone, (many - truth.len()) as u64);
            prop_assert_eq!((found.block_alone, found.ambiguous), (0, 0));
            prop_assert_eq!(parts, truth);
        }
    }

    #[test]
    fn two_at_one_place_at_once_are_not_guessed_at() {
        let run = [span(0, 0, 100), span(0, 50, 150), span(8, 0, 100), span(0, 900, 950)];
        let block = [span(0, 10, 90), span(0, 60, 140), span(8, 10, 90), span(16, 0, 1)];
        let [found, ..] = pair(run.to_vec(), block.to_vec());
        assert_eq!(found.pairs, [Pair { before_ns: 10, inside_ns: 80, after_ns: 10 }]);
        assert_eq!((found.ambiguous, found.run_alone, found.block_alone), (2, 1, 1));
        let other_length = Span { place: (1, 8, 512), ..run[2] };
        assert_eq!(pair(vec![other_length], block[2..3].to_vec())[0].run_alone, 1);
    }
}
