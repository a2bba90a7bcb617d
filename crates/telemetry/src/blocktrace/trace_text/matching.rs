//! Events of arrival, hand-over and end, matched to I/Os by the sectors they cover.
//!
//! A request covers several I/Os where they were merged, and a part of one where it was cut. An I/O is
//! over when all of its sectors have ended.

use std::collections::{BTreeMap, VecDeque};

use fathom_record::Direction;

use super::{Event, Kind};
use crate::blocktrace::pairs::Span;
use crate::blocktrace::sampling::{SpanSample, Thinning};
use crate::blocktrace::{Passage, TraceSummary};

/// I/Os that are kept at most; more are counted as lost.
const IN_FLIGHT_MAX: usize = 1 << 16;

/// An I/O between its arrival and its end.
#[derive(Clone, Copy, Debug)]
struct Flight {
    passage: Passage,
    direction: Direction,
    sectors: u64,
    left: u64,
    parts: u64,
}

/// Where an I/O lies, and which one it is among those at the same place.
type Key = (u32, u64, u64);

/// Matches events as they come.
#[derive(Debug)]
pub struct Matching {
    /// The disk on which each device that is watched lies.
    disks: BTreeMap<u32, u32>,
    direct: bool,
    kept: SpanSample<Span>,
    flights: BTreeMap<Key, Flight>,
    flushes: VecDeque<(u32, Passage)>,
    longest: u64,
    serial: u64,
    seen: TraceSummary,
}

impl Matching {
    /// For arrivals at the devices named first, whose requests are for those named second. With `direct`,
    /// metadata and read-ahead are left out.
    pub fn new(devices: impl IntoIterator<Item = (u32, u32)>, direct: bool, thinning: Thinning) -> Self {
        Self {
            disks: devices.into_iter().collect(),
            direct,
            kept: SpanSample::new(thinning),
            flights: BTreeMap::new(),
            flushes: VecDeque::new(),
            longest: 0,
            serial: 0,
            seen: TraceSummary::default(),
        }
    }

    /// Takes one event. `ours` says whether a thread belongs to this process.
    pub fn take(&mut self, event: &Event, ours: impl FnOnce(u32) -> bool) {
        let at_ns = event.at_ns;
        match event.kind {
            Kind::Queued => {
                let Some(&disk) = self.disks.get(&event.device) else { return };
                if ours(event.thread) {
                    self.seen.events += 1;
                    self.arrive(disk, event, at_ns);
                }
            }
            Kind::EndedAlone => {
                let Some(&disk) = self.disks.get(&event.device) else { return };
                self.end(disk, event, at_ns, false);
            }
            Kind::Inserted => self.mark(event, |flight| {
                flight.passage.inserted_ns.get_or_insert(at_ns);
            }),
            Kind::Issued => {
                let taken = self.mark_issued(event, at_ns);
                if let Some(direction) = event.direction {
                    self.seen.directions[direction.index()].merged += taken.saturating_sub(1);
                }
            }
            Kind::Ended => self.end(event.device, event, at_ns, true),
        }
    }

    /// Notes events that the kernel threw away, or that could not be read.
    pub fn lose(&mut self, events: u64) {
        self.seen.losses.unread = self.seen.losses.unread.saturating_add(events);
    }

    /// What was seen.
    pub fn finish(mut self) -> TraceSummary {
        self.seen.unfinished = (self.flights.len() + self.flushes.len()) as u64;
        self.seen.missed = self.kept.missed();
        self.seen.spans = self.kept.finish();
        self.seen
    }

    fn arrive(&mut self, disk: u32, event: &Event, at_ns: u64) {
        if self.direct && event.aside {
            self.seen.strays += 1;
            return;
        }
        let Some(direction) = event.direction else { return };
        let passage = Passage { queued_ns: at_ns, ..Passage::default() };
        if self.flights.len() + self.flushes.len() >= IN_FLIGHT_MAX {
            self.seen.losses.no_room += 1;
            return;
        }
        if event.sectors == 0 {
            self.flushes.push_back((disk, passage));
        } else {
            self.serial += 1;
            self.longest = self.longest.max(event.sectors);
            let flight = Flight { passage, direction, sectors: event.sectors, left: event.sectors, parts: 0 };
            self.flights.insert((disk, event.sector, self.serial), flight);
        }
    }

    /// I/Os that an event's sectors touch, ascending, each place once: of several I/Os at one place,
    /// the one that came first and for which `wanted` holds.
    fn touched(&self, disk: u32, event: &Event, wanted: impl Fn(&Flight) -> bool) -> Vec<Key> {
        let end = event.sector.saturating_add(event.sectors);
        let from = (disk, event.sector.saturating_sub(self.longest), 0);
        let mut free_from = 0;
        let mut keys = Vec::new();
        for (&key, flight) in self.flights.range(from..(disk, end, 0)) {
            let (start, stop) = (key.1, key.1.saturating_add(flight.sectors));
            let fits = stop > event.sector && start >= free_from;
            if fits && Some(flight.direction) == event.direction && wanted(flight) {
                free_from = stop;
                keys.push(key);
            }
        }
        keys
    }

    fn mark(&mut self, event: &Event, set: impl Fn(&mut Flight)) {
        let keys = self.touched(event.device, event, |flight| flight.passage.issued_ns.is_none());
        self.seen.events += u64::from(!keys.is_empty());
        for key in keys {
            if let Some(flight) = self.flights.get_mut(&key) {
                set(flight);
            }
        }
    }

    /// Hands I/Os to the driver; returns how many the request carries.
    fn mark_issued(&mut self, event: &Event, at_ns: u64) -> u64 {
        // A request that comes back from the driver is issued again, and no I/O waits for it then.
        let fresh = self.touched(event.device, event, |flight| flight.passage.issued_ns.is_none());
        let again = fresh.is_empty();
        let keys = if again { self.touched(event.device, event, |_| true) } else { fresh };
        self.seen.events += u64::from(!keys.is_empty());
        for key in &keys {
            if let Some(flight) = self.flights.get_mut(key)
                && (!again || flight.sectors <= event.sectors)
            {
                flight.passage.issued_ns = Some(at_ns);
            }
        }
        if again { 0 } else { keys.len() as u64 }
    }

    fn end(&mut self, disk: u32, event: &Event, at_ns: u64, issued: bool) {
        if event.sectors == 0 {
            if event.direction == Some(Direction::Flush)
                && let Some(at) = self.flushes.iter().position(|(flushed, _)| *flushed == disk)
                && let Some((_, passage)) = self.flushes.remove(at)
            {
                self.seen.events += 1;
                self.seen.count(Direction::Flush, &Passage { ended_ns: at_ns, ..passage });
            }
            return;
        }
        let keys = self.touched(disk, event, |flight| flight.passage.issued_ns.is_some() == issued);
        self.seen.events += u64::from(!keys.is_empty());
        let end = event.sector.saturating_add(event.sectors);
        for key in keys {
            let Some(flight) = self.flights.get_mut(&key) else { continue };
            let common =
                key.1.saturating_add(flight.sectors).min(end).saturating_sub(key.1.max(event.sector));
            flight.left = flight.left.saturating_sub(common);
            flight.parts += 1;
            if flight.left == 0 {
                let Flight { mut passage, direction, sectors, parts, .. } = *flight;
                self.flights.remove(&key);
                passage.ended_ns = at_ns;
                let bytes = u32::try_from(sectors.saturating_mul(512)).unwrap_or(u32::MAX);
                self.kept.push(Span {
                    place: (key.0, key.1, bytes),
                    direction,
                    from_ns: passage.queued_ns,
                    to_ns: at_ns,
                });
                self.seen.directions[direction.index()].cuts += parts - 1;
                self.seen.count(direction, &passage);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DISK: u32 = 254 << 20;
    const PARTITION: u32 = DISK | 1;

    fn event(kind: Kind, at_us: u64, sector: u64, sectors: u64) -> Event {
        let device = if matches!(kind, Kind::Queued | Kind::EndedAlone) { PARTITION } else { DISK };
        let direction = Some(if sectors == 0 { Direction::Flush } else { Direction::Read });
        Event { kind, at_ns: at_us * 1000, thread: 1, device, direction, aside: false, sector, sectors }
    }

    fn matched(events: &[Event]) -> TraceSummary {
        let mut matching = Matching::new([(PARTITION, DISK)], true, Thinning::default());
        events.iter().for_each(|event| matching.take(event, |thread| thread == 1));
        matching.finish()
    }

    #[test]
    fn merged_and_cut_requests_find_their_ios() {
        use Kind::{Ended, Inserted, Issued, Queued};
        let merged = matched(&[
            event(Queued, 0, 0, 8),
            event(Queued, 1, 8, 8),
            event(Inserted, 2, 0, 16),
            event(Issued, 5, 0, 16),
            event(Ended, 105, 0, 16),
        ]);
        let read = &merged.directions[0];
        assert_eq!((read.total.count(), read.merged, read.cuts, read.scheduled), (2, 1, 0, 2));
        assert_eq!((read.total.sum(), read.queue.sum(), read.device.sum()), (209_000, 9_000, 200_000));
        assert_eq!(read.scheduled_sum_ns, 6_000);
        let spans: Vec<_> = merged.spans.iter().map(|s| (s.place, s.from_ns, s.to_ns)).collect();
        assert_eq!(spans, [((DISK, 0, 4096), 0, 105_000), ((DISK, 8, 4096), 1_000, 105_000)]);
        let cut = matched(&[
            event(Queued, 0, 0, 16),
            event(Issued, 2, 0, 8),
            event(Issued, 3, 8, 8),
            event(Ended, 60, 8, 8),
            event(Ended, 50, 0, 8),
        ]);
        let read = &cut.directions[0];
        assert_eq!((read.total.count(), read.cuts, read.merged), (1, 1, 0));
        assert_eq!((read.total.max(), read.device.max()), (Some(50_000), Some(48_000)));
        assert_eq!((cut.unfinished, cut.losses.sum()), (0, 0));
        assert_eq!(cut.spans.len(), 1, "one I/O, however many parts");
    }

    #[test]
    fn what_is_not_ours_is_left_out() {
        let stranger = Event { thread: 2, ..event(Kind::Queued, 0, 64, 8) };
        let metadata = Event { aside: true, ..event(Kind::Queued, 0, 128, 8) };
        let elsewhere = Event { device: 9, ..event(Kind::Queued, 0, 192, 8) };
        let seen = matched(&[
            stranger,
            metadata,
            elsewhere,
            event(Kind::Ended, 9, 64, 8),
            event(Kind::Ended, 9, 128, 8),
            event(Kind::Queued, 10, 0, 0),
            event(Kind::Ended, 30, 0, 0),
            event(Kind::Queued, 40, 256, 8),
            event(Kind::EndedAlone, 41, 256, 8),
            event(Kind::Queued, 50, 512, 8),
        ]);
        assert_eq!(seen.directions[0].total.count(), 1);
        assert_eq!(seen.directions[0].unissued, 1);
        assert_eq!(seen.directions[Direction::Flush.index()].total.sum(), 20_000);
        assert_eq!((seen.strays, seen.unfinished), (1, 1));
    }

    proptest! {
        /// I/Os at drawn places, some at the same one, each in a request of its own: every time is found.
        #[test]
        fn every_io_is_found_again(
            ios in prop::collection::vec((0u64..40, 0u64..1000, 1u64..100, 1u64..1000), 1..60),
        ) {
            let mut events = Vec::new();
            for &(place, queued, wait, device) in &ios {
                let sector = place * 8;
                events.push(event(Kind::Queued, queued, sector, 8));
                events.push(event(Kind::Issued, queued + wait, sector, 8));
                events.push(event(Kind::Ended, queued + wait + device, sector, 8));
            }
            events.sort_by_key(|event| event.at_ns);
            let seen = matched(&events);
            let read = &seen.directions[0];
            let sum = |part: fn(&(u64, u64, u64, u64)) -> u64| {
                ios.iter().map(|io| u128::from(part(io)) * 1000).sum::<u128>()
            };
            // Of two at one place nobody can tell which is which; none may be counted twice or vanish.
            let mut places: Vec<u64> = ios.iter().map(|io| io.0).collect();
            places.sort_unstable();
            places.dedup();
            prop_assert!(read.total.count() + seen.unfinished == ios.len() as u64);
            if places.len() == ios.len() {
                prop_assert_eq!(read.total.count(), ios.len() as u64);
                prop_assert_eq!(read.queue.sum(), sum(|io| io.2));
                prop_assert_eq!(read.device.sum(), sum(|io| io.3));
                prop_assert_eq!(seen.unfinished, 0);
            }
        }

        #[test]
        fn any_events_are_taken(
            events in prop::collection::vec((0u8..5, any::<u64>(), any::<u64>(), any::<u64>()), 0..50),
        ) {
            let kinds = [Kind::Queued, Kind::Inserted, Kind::Issued, Kind::Ended, Kind::EndedAlone];
            let events: Vec<Event> = events
                .into_iter()
                .map(|(kind, at_ns, sector, sectors)| Event {
                    at_ns,
                    ..event(kinds[usize::from(kind)], 0, sector, sectors)
                })
                .collect();
            matched(&events);
        }
    }
}
