//! The whole answer to one demand: its numbers, what it needs, what to buy, what that saves, and how sure it is.

use fathom_record::SizingRecord;
use fathom_record::sizing_advice::LocalRecord;
use fathom_record::sizing_record::{
    CurrentRecord, FrontierPoint, LeftOutRecord, OfferRecord, OfferTerms, Requirement, SourceRecord,
    TypeRecord,
};

use crate::catalogue::{Catalogue, ExcludedType, Instance, Market};
use crate::choice::{OfferChoice, OfferJudge, StorageRequirement, cheapest_in, cheapest_of};
use crate::credit_timeline::timeline;
use crate::demand::Demand;
use crate::lateness::Patience;
use crate::margin::{self, Margin};
use crate::offer::Offer;
use crate::proof::{Claim, proof};
use crate::requirement::{Precision, requirement};
use crate::{age, local_disks, residency, windows};

/// Margins of the frontier where no history tells better ones, in thousandths.
const MARGINS: [u32; 7] = [1000, 1100, 1200, 1300, 1500, 2000, 3000];
/// Risks of the frontier where a history tells, in millionths.
const RISKS: [u32; 7] = [500_000, 300_000, 200_000, 100_000, 50_000, 20_000, 10_000];

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct SizingQuestion<'a> {
    /// The demand on each node, as it was seen.
    pub demand: &'a Demand,
    /// What it was read from, for people.
    pub from: &'a str,
    /// Bytes to store on each node, in GiB.
    pub size_gib: u64,
    /// Where it is bought.
    pub region: &'a str,
    /// What may be bought there.
    pub market: &'a Market,
    /// The day on which it is asked, e.g. `2026-01-31`; absent where nobody knows: no price is then called old.
    pub today: Option<&'a str>,
    /// How late how many I/Os may be.
    pub patience: Patience,
    /// What to buy above the requirement.
    pub margin: Margin,
    /// How requirements grew on volumes with a history, in thousandths; empty without.
    pub growths: &'a [u32],
    /// What the volumes are attached to.
    pub instance: Option<&'a Instance>,
    /// Widest stripe to consider.
    pub stripes: u32,
    /// Nodes with the same demand each.
    pub nodes: u32,
    /// What is in use on each node today.
    pub current: Option<&'a Offer>,
    /// Memory that may hold the data, in GiB; the instance's where absent.
    pub memory_gib: Option<f64>,
    /// The profile's file and the target that the choice is to be proved on.
    pub prove: Option<(&'a str, &'a str)>,
}

/// The answer, from simulating every offer on the demand.
pub fn answer(catalogue: &Catalogue, question: &SizingQuestion<'_>) -> SizingRecord {
    let grown = question.demand.grown(question.margin.thousandths());
    let need = question.need(&grown);
    let carried = question.objection();
    let choice = if carried.is_none() { question.cheapest(need) } else { None };
    let record =
        |choice: &OfferChoice| question.offer(catalogue, &choice.offer, Some((choice.late, choice.of)));
    let by_type = if carried.is_none() { question.by_type(catalogue, need) } else { Vec::new() };
    let frontier = if carried.is_none() { question.frontier(catalogue) } else { Vec::new() };
    let chosen = choice.as_ref().map(record);
    let local = if carried.is_none() { question.local(catalogue, &grown, chosen.as_ref()) } else { None };
    let proof = choice.as_ref().and_then(|choice| question.proof(&choice.offer));
    let current =
        question.current.map(|offer| question.judge_current(catalogue, offer, need, chosen.as_ref()));
    let needed = requirement(question.demand, question.patience, Precision::Exact);
    let mut notes: Vec<String> = carried.into_iter().collect();
    notes.extend(question.notes(chosen.is_none()));
    notes.extend(size_note(&needed));
    let left_out = left_out(question.market, question.demand.is_sequential());
    notes.extend(left_out_notes(&left_out));
    notes.extend(question.today.and_then(|today| {
        let prices = chosen.iter().flat_map(|chosen| catalogue.prices.of(question.region, &chosen.volume));
        age::note(today, prices)
    }));
    notes.extend(question.blame_instance(catalogue, need, chosen.as_ref()));
    SizingRecord {
        format: SizingRecord::FORMAT.to_owned(),
        version: SizingRecord::VERSION,
        command: None,
        demand: windows::summary(question.demand, question.from),
        terms: question.terms(),
        requirement: needed,
        sources: sources(catalogue, question, chosen.as_ref()),
        choice: chosen,
        by_type,
        left_out,
        frontier,
        current,
        local,
        residency: question.residency(),
        proof,
        timeline: timeline(
            question.demand,
            &grown,
            choice.as_ref().map(|choice| choice.offer.limits),
            question.instance.and_then(|instance| instance.ebs),
        ),
        notes,
    }
}

impl<'a> SizingQuestion<'a> {
    fn need(&self, demand: &'a Demand) -> StorageRequirement<'a> {
        let instance = self.instance.and_then(|instance| instance.ebs);
        StorageRequirement { demand, size_gib: self.size_gib, patience: self.patience, instance }
    }

    fn cheapest(&self, need: StorageRequirement<'_>) -> Option<OfferChoice> {
        cheapest_in(self.market, &mut OfferJudge::new(need), self.stripes)
    }

    /// The instance or machine that the volumes are attached to, by its name.
    fn attached_to(&self) -> Option<&str> {
        let machine = self.market.machine().map(|(name, _)| name);
        self.instance.map(|instance| instance.name.as_str()).or(machine)
    }

    /// Why the data carry no recommendation.
    fn objection(&self) -> Option<String> {
        let (seen, ticks) = (self.demand.ticks_seen(), self.demand.ticks());
        if self.demand.read.is_empty() && self.demand.write.is_empty() {
            return Some("No I/O was seen: there is no demand to size for.".to_owned());
        }
        (seen * 2 < ticks).then(|| {
            format!(
                "Only {seen} of {ticks} ticks were seen, less than half: no recommendation rests on that."
            )
        })
    }

    fn terms(&self) -> OfferTerms {
        let calibrated = match self.margin {
            Margin::Calibrated { risk_millionths, volumes, .. } => Some((risk_millionths, volumes)),
            Margin::Uncalibrated { .. } => None,
        };
        OfferTerms {
            region: self.region.to_owned(),
            size_gib: self.size_gib,
            wait_s: self.patience.ticks as u64 * u64::from(self.demand.tick_s),
            late_share: self.patience.late_millionths as f64 / 1e6,
            margin: f64::from(self.margin.thousandths()) / 1e3,
            risk: calibrated.map(|(risk, _)| f64::from(risk) / 1e6),
            margin_volumes: calibrated.map(|(_, volumes)| volumes),
            instance: self.attached_to().map(str::to_owned),
            stripes: self.stripes,
            nodes: self.nodes,
        }
    }

    fn offer(&self, catalogue: &Catalogue, offer: &Offer, late: Option<(u64, u64)>) -> OfferRecord {
        let month = offer.month.micros() as f64 / 1e6;
        let currency =
            catalogue.prices.of(self.region, &offer.volume).next().map(|price| price.currency.clone());
        OfferRecord {
            provider: offer.provider.clone(),
            volume: offer.volume.clone(),
            members: offer.members,
            size_gib: offer.each.size_gib,
            iops: offer.each.iops,
            bytes_per_s: offer.each.bytes_per_s,
            month,
            month_all_nodes: offer.month.times(u64::from(self.nodes)).micros() as f64 / 1e6,
            currency: currency.unwrap_or_else(|| "USD".to_owned()),
            late_share: late.map(|(late, of)| late as f64 / of.max(1) as f64),
            words: offer.to_string(),
        }
    }

    fn residency(&self) -> Option<fathom_record::sizing_advice::ResidencyRecord> {
        let memory_gib = self.memory_gib.or(self.instance.map(|instance| instance.memory_gib))?;
        Some(residency::advice(self.demand, self.size_gib, memory_gib))
    }

    fn proof(&self, chosen: &Offer) -> Option<fathom_record::sizing_advice::ProofRecord> {
        let (profile, target) = self.prove?;
        let claim = Claim {
            demand: self.demand,
            margin: f64::from(self.margin.thousandths()) / 1e3,
            limits: [Some(chosen.limits), self.instance.and_then(|instance| instance.ebs)],
            late_share: self.patience.late_millionths as f64 / 1e6,
            wait_s: self.patience.ticks as u64 * u64::from(self.demand.tick_s),
        };
        Some(proof(&claim, profile, target))
    }

    /// The cheapest instance whose own disks hold the data, against the choice and the given instance.
    fn local(
        &self,
        catalogue: &Catalogue,
        grown: &Demand,
        chosen: Option<&OfferRecord>,
    ) -> Option<LocalRecord> {
        let like = self.instance?;
        let asked = (grown, self.size_gib, self.patience);
        let found = local_disks::cheapest(catalogue, self.region, like, asked)?;
        let extra = like.month(self.region).map(|(month, _)| found.month - month);
        let amount = |money: crate::money::Money| money.micros() as f64 / 1e6;
        let saves =
            chosen.zip(extra).map(|(chosen, extra)| (chosen.month - amount(extra)) * f64::from(self.nodes));
        Some(LocalRecord {
            instance: found.instance.name.clone(),
            disks: found.disks.disks,
            size_gib: local_disks::size_gib(&found.disks),
            holds: found.holds,
            instance_month: amount(found.month),
            extra_month: extra.map(amount),
            saves_month: saves,
            currency: "USD".to_owned(),
        })
    }

    fn by_type(&self, catalogue: &Catalogue, need: StorageRequirement<'_>) -> Vec<TypeRecord> {
        let best = cheapest_of(self.market, need, self.stripes);
        let offer =
            |choice: OfferChoice| self.offer(catalogue, &choice.offer, Some((choice.late, choice.of)));
        best.into_iter()
            .map(|(volume, choice)| TypeRecord { volume: volume.to_owned(), offer: choice.map(offer) })
            .collect()
    }

    fn frontier(&self, catalogue: &Catalogue) -> Vec<FrontierPoint> {
        let calibrated = RISKS.iter().filter_map(|risk| margin::calibrated(self.growths, *risk));
        let mut margins: Vec<u32> = calibrated.map(|margin| margin.thousandths()).collect();
        if margins.is_empty() {
            margins = MARGINS.to_vec();
        }
        margins.sort_unstable();
        margins.dedup();
        let point = |thousandths: u32| {
            let grown = self.demand.grown(thousandths);
            let choice = self.cheapest(self.need(&grown));
            FrontierPoint {
                margin: f64::from(thousandths) / 1e3,
                risk: margin::risk(self.growths, thousandths).map(|risk| f64::from(risk) / 1e6),
                offer: choice.map(|c| self.offer(catalogue, &c.offer, Some((c.late, c.of)))),
            }
        };
        margins.into_iter().map(point).collect()
    }

    fn judge_current(
        &self,
        catalogue: &Catalogue,
        offer: &Offer,
        need: StorageRequirement<'_>,
        chosen: Option<&OfferRecord>,
    ) -> CurrentRecord {
        let late = OfferJudge::new(need).late(&offer.limits);
        let of = need.demand.operations().iter().sum();
        let record = self.offer(catalogue, offer, late.map(|late| (late, of)));
        let saves_month = chosen.map(|chosen| record.month_all_nodes - chosen.month_all_nodes);
        CurrentRecord { offer: record, holds: late.is_some(), saves_month }
    }

    fn notes(&self, nothing_holds: bool) -> Vec<String> {
        let mut notes = Vec::new();
        if nothing_holds && self.objection().is_none() {
            notes.push(format!(
                "No volume type on offer in {} meets this demand with {}{}.",
                self.region,
                if self.stripes == 1 {
                    "one volume".to_owned()
                } else {
                    format!("up to {} volumes", self.stripes)
                },
                if self.attached_to().is_some() { " behind this instance" } else { "" }
            ));
        }
        if let Margin::Uncalibrated { thousandths } = self.margin {
            notes.push(format!(
                "The margin of {:.2} is uncalibrated: no history of a fleet says how often it suffices.",
                f64::from(thousandths) / 1e3
            ));
        }
        if self.demand.tick_s > 1 {
            notes.push(format!(
                "The series shows means over {} s; bursts inside them are not seen. Sample at 1 s for a day to learn how much they hide.",
                self.demand.tick_s
            ));
        }
        let gaps = self.demand.ticks() - self.demand.ticks_seen();
        if gaps > 0 {
            notes.push(format!(
                "{gaps} of {} ticks were not seen; nothing is claimed of them.",
                self.demand.ticks()
            ));
        }
        notes.extend(self.instance_note());
        notes
    }

    /// Whether it is the instance that keeps an offer from holding, or a cheaper one.
    fn blame_instance(
        &self,
        catalogue: &Catalogue,
        need: StorageRequirement<'_>,
        chosen: Option<&OfferRecord>,
    ) -> Option<String> {
        let name = &self.instance.filter(|instance| instance.ebs.is_some())?.name;
        if self.objection().is_some() {
            return None;
        }
        let alone = self.cheapest(StorageRequirement { instance: None, ..need })?;
        let alone = self.offer(catalogue, &alone.offer, None);
        match chosen {
            Some(chosen) if chosen.words == alone.words => None,
            Some(_) => Some(format!("Without the limits of {name}, {} would hold.", alone.words)),
            None => Some(format!(
                "The limit is {name}: without its limits, {} would be enough for {:.2} {} per month.",
                alone.words, alone.month, alone.currency
            )),
        }
    }

    fn instance_note(&self) -> Option<String> {
        if let Some((name, _)) = self.market.machine() {
            return Some(format!(
                "What {name} lets through to all its volumes of a type was taken into account, for this volume alone."
            ));
        }
        let Some(instance) = self.instance else {
            return Some("No instance was given: its own limits may be reached before the volume's. Give it with --instance.".to_owned());
        };
        let name = &instance.name;
        if instance.ebs.is_none() {
            return Some(format!(
                "The catalogue has no storage limits of {name}; only the volume's were simulated."
            ));
        }
        instance.bursts().then(|| format!(
            "{name} falls back to its baseline when credits are spent. Its provider publishes neither size nor refill of that bucket: 30 minutes at the maximum are assumed, empty at the start."
        ))
    }
}

/// Types that were not considered.
pub fn left_out(market: &Market, sequential: bool) -> Vec<LeftOutRecord> {
    let record = |left: ExcludedType| LeftOutRecord { volume: left.volume.to_owned(), reason: left.reason };
    market.left_out(sequential).into_iter().map(record).collect()
}

/// The same for people, a sentence for each reason.
pub fn left_out_notes(left_out: &[LeftOutRecord]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for left in left_out {
        match reasons.iter_mut().find(|(reason, _)| *reason == left.reason) {
            Some((_, volumes)) => volumes.push(&left.volume),
            None => reasons.push((&left.reason, vec![&left.volume])),
        }
    }
    reasons
        .iter()
        .map(|(reason, volumes)| format!("Not considered: {} ({reason}).", volumes.join(", ")))
        .collect()
}

/// What is said where the sizes behind a tick's means decide how many I/Os a provider counts.
fn size_note(needed: &Requirement) -> Option<String> {
    let (least, most) = (needed.operations_least_per_s?, needed.operations_per_s);
    (least < most).then(|| {
        format!(
            "Only mean sizes are known, and an I/O counts once per started 256 KiB: between {least} and {most} IOPS are needed without the margin, by the sizes behind the means. The upper figure was used; a trace shows the sizes."
        )
    })
}

fn sources(
    catalogue: &Catalogue,
    question: &SizingQuestion<'_>,
    chosen: Option<&OfferRecord>,
) -> Vec<SourceRecord> {
    let mut sources = Vec::new();
    let mut push = |what: String, key: &str, date: Option<&str>| {
        let known = catalogue.sources.find(key);
        let date = date.or(known.map(|s| s.date.as_str())).unwrap_or("undated").to_owned();
        let source = known.map_or_else(|| key.to_owned(), |s| s.text.clone());
        sources.push(SourceRecord { what, date, source });
    };
    if let Some(offer) = chosen {
        for price in catalogue.prices.of(question.region, &offer.volume) {
            push(
                format!("prices of {} in {}", offer.volume, question.region),
                &price.source,
                Some(&price.as_of),
            );
        }
        let facts =
            catalogue.volumes.facts().iter().filter(|f| f.volume == offer.volume).filter(|f| {
                ["max_", "baseline_", "burst_"].iter().any(|limit| f.attribute.starts_with(limit))
            });
        facts.for_each(|fact| push(format!("limits of {}", offer.volume), &fact.source, None));
    }
    for (volume, fact) in question.market.latencies(catalogue) {
        push(format!("latency of {volume}"), &fact.source, None);
    }
    if let Some((name, source)) = question.market.machine() {
        push(format!("limits of {name}"), source, None);
    }
    if let Some(instance) = question.instance {
        push(format!("limits of {}", instance.name), &instance.source, None);
    }
    sources.sort();
    sources.dedup();
    sources
}
