//! Holds fathom's answer against the slow simulator's, type by type.

use std::path::Path;

use super::catalogue_facts::{Catalogue, UNIT};
use super::choose::{ServingVolume, Trial};
use super::counting::{Bound, CountingRule};
use super::drawn_demand::{Demand, Form};
use super::json_queries;
use super::moments;
use super::size_answer::{self, Answer, Offer, TypeOutcome};
use super::volume_offers::Volume;

/// Shares that differ by less are the same: fathom prints floats.
const SAME_SHARE: f64 = 1e-9;

/// Marks what the least count of each tick's sums explains: it is no rule that serves a demand.
pub const BY_THE_LEAST: &str = "(as by the least that each tick's sums may count)";

/// What a comparison came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Equal,
    Explained(&'static str),
    Unexplained(String),
}

/// One thing that was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedItem {
    /// A type's name, `choice`, `current` or `moments`.
    pub what: &'static str,
    pub verdict: Verdict,
}

/// All of one demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemandVerdict {
    pub name: String,
    pub shape: &'static str,
    pub compared: Vec<ComparedItem>,
    /// What to type to see fathom's side.
    pub command: String,
}

/// Sizes a demand with both.
pub fn judge(
    fathom: &Path,
    folder: &Path,
    demand: &Demand,
    catalogue: &Catalogue,
) -> Result<DemandVerdict, String> {
    let file = format!("{}.csv", demand.name);
    let path = folder.join(&file);
    std::fs::write(&path, demand.text()).map_err(|error| format!("{}: {error}", path.display()))?;
    let command = json_queries::typed(&demand.words(&file));
    let compared = match size_answer::ask(fathom, folder, demand, &file) {
        Ok(answer) => compare(demand, &answer, catalogue)?,
        Err(error) => vec![ComparedItem { what: "choice", verdict: Verdict::Unexplained(error) }],
    };
    Ok(DemandVerdict { name: demand.name.clone(), shape: demand.shape, compared, command })
}

fn compare(demand: &Demand, answer: &Answer, catalogue: &Catalogue) -> Result<Vec<ComparedItem>, String> {
    let mut compared = Vec::new();
    if answer.tick_s != demand.tick_s {
        let said = format!("ticks of {} s, not of {} s", answer.tick_s, demand.tick_s);
        compared.push(ComparedItem { what: "choice", verdict: Verdict::Unexplained(said) });
        return Ok(compared);
    }
    let mut considered = Vec::new();
    for (kind, of_type) in &answer.by_type {
        if *of_type == TypeOutcome::LeftOut {
            continue;
        }
        let trial = Trial::new(demand, *kind, counting(demand), catalogue)?;
        let mine = trial.cheapest();
        compared.push(ComparedItem {
            what: kind.name(),
            verdict: of_type_verdict(demand, &trial, mine, of_type, catalogue)?,
        });
        considered.extend(mine);
    }
    compared.push(ComparedItem { what: "choice", verdict: choice(answer, &considered, &compared) });
    if let Some((offer, meets)) = &answer.current {
        let trial = Trial::new(demand, offer.volume.kind, counting(demand), catalogue)?;
        compared.push(ComparedItem { what: "current", verdict: current(&trial, offer, *meets) });
    }
    if let (Form::Trace(ios), Some(choice)) = (&demand.form, &answer.choice) {
        let trial = Trial::new(demand, choice.volume.kind, counting(demand), catalogue)?;
        compared
            .push(ComparedItem { what: "moments", verdict: at_moments(demand, ios, &trial, &choice.volume) });
    }
    Ok(compared)
}

/// The counting that decides: each I/O by itself where all are known, otherwise the most that they may count.
fn counting(demand: &Demand) -> CountingRule {
    CountingRule::of(if demand.is_trace() { Bound::Least } else { Bound::Most })
}

fn of_type_verdict(
    demand: &Demand,
    trial: &Trial,
    mine: Option<ServingVolume>,
    of_type: &TypeOutcome,
    catalogue: &Catalogue,
) -> Result<Verdict, String> {
    let offer = match of_type {
        TypeOutcome::Offered(offer) => Some(offer),
        _ => None,
    };
    let other = |counting| Trial::new(demand, trial.rules.kind, counting, catalogue);
    let Some(said) = difference(trial, mine, offer) else { return Ok(Verdict::Equal) };
    for (counting, why) in dearer(counting(demand)) {
        let other = other(counting)?;
        let cheapest = other.cheapest();
        // What serves only because a tick's I/Os are not told from each other may be short by little.
        let is_close =
            offer.is_none_or(|offer| trial.late(&offer.volume) <= trial.allowed + trial.allowed / 2);
        if is_close && difference(&other, cheapest, offer).is_none() {
            return Ok(Verdict::Explained(why));
        }
    }
    let summed = demand.summed();
    for whole in [false, true] {
        let least = CountingRule { whole, joins: false, bound: Bound::Least };
        let least = Trial::new(&summed, trial.rules.kind, least, catalogue)?;
        if difference(&least, least.cheapest(), offer).is_none() {
            return Ok(Verdict::Unexplained(format!("{said} {BY_THE_LEAST}")));
        }
    }
    Ok(Verdict::Unexplained(said))
}

/// How an offer differs from what is cheapest; nothing where it does not.
fn difference(trial: &Trial, mine: Option<ServingVolume>, offer: Option<&Offer>) -> Option<String> {
    let offer = match (offer, mine) {
        (None, None) => return None,
        (None, mine) => return Some(format!("nothing, where {} serves", described(mine))),
        (Some(offer), _) => offer,
    };
    let late = trial.late(&offer.volume);
    let Some(served) = mine.filter(|served| served.volume == offer.volume) else {
        let short = if late > trial.allowed {
            format!(" is too little: {late} late where {} may be", trial.allowed)
        } else {
            format!(" for {:.2}", offer.month)
        };
        return Some(format!("{}{short}; {} serves", offer.volume, described(mine)));
    };
    if (offer.month - served.month as f64 / UNIT).abs() >= 0.005 {
        return Some(format!("{} for {:.2}, by the list {}", offer.volume, offer.month, money(served.month)));
    }
    let share = late as f64 / trial.ios.max(1) as f64;
    match offer.late_share {
        Some(said) if (said - share).abs() <= SAME_SHARE => None,
        said => Some(format!(
            "{}: late {} %, by the simulator {:.5} %",
            offer.volume,
            said.map_or("?".to_owned(), |said| format!("{:.5}", said * 100.0)),
            share * 100.0
        )),
    }
}

/// Countings that are documented and cost more, with what they are: to the safe side.
fn dearer(counting: CountingRule) -> [(CountingRule, &'static str); 3] {
    const WHOLE: &str = "all amounts of a tick are whole numbers, and its I/Os are alike";
    const APART: &str = "disks: all I/Os are taken to be random: to the safe side";
    [
        (CountingRule { whole: true, ..counting }, WHOLE),
        (CountingRule { joins: false, ..counting }, APART),
        (CountingRule { joins: false, whole: true, ..counting }, APART),
    ]
}

/// The choice is the cheapest of what was offered, and of what serves.
fn choice(answer: &Answer, considered: &[ServingVolume], compared: &[ComparedItem]) -> Verdict {
    let offers = answer.by_type.iter().filter_map(|(_, of_type)| match of_type {
        TypeOutcome::Offered(offer) => Some(offer),
        _ => None,
    });
    let cheapest = offers.map(|offer| offer.month).min_by(f64::total_cmp);
    let mine = considered.iter().min_by_key(|served| served.month);
    match (&answer.choice, cheapest, mine) {
        (None, None, None) => Verdict::Equal,
        (Some(choice), Some(cheapest), _) if choice.month > cheapest + 0.005 => Verdict::Unexplained(
            format!("{} for {:.2}, but another type costs {cheapest:.2}", choice.volume, choice.month),
        ),
        (Some(choice), _, Some(mine)) if (choice.month - mine.month as f64 / UNIT).abs() < 0.005 => {
            Verdict::Equal
        }
        (choice, _, mine) => {
            let kind = choice.as_ref().map(|choice| choice.volume.kind.name());
            let why = compared.iter().find_map(|compared| match compared.verdict {
                Verdict::Explained(why) if Some(compared.what) == kind => Some(why),
                _ => None,
            });
            if let Some(why) = why {
                return Verdict::Explained(why);
            }
            let offered = choice
                .as_ref()
                .map_or("nothing".to_owned(), |choice| format!("{} for {:.2}", choice.volume, choice.month));
            Verdict::Unexplained(format!("{offered}, where {} serves", described(mine.copied())))
        }
    }
}

fn current(trial: &Trial, offer: &Offer, meets: bool) -> Verdict {
    let mine = trial.serves(&offer.volume);
    let month = trial.month(&offer.volume);
    if mine != meets {
        let late = trial.late(&offer.volume);
        let word = if meets { "is said to meet it" } else { "is said not to" };
        return Verdict::Unexplained(format!(
            "{} {word}: {late} late where {} may be",
            offer.volume, trial.allowed
        ));
    }
    match month {
        Some(month) if (offer.month - month as f64 / UNIT).abs() < 0.005 => Verdict::Equal,
        month => Verdict::Unexplained(format!(
            "{} for {:.2}, by the list {}",
            offer.volume,
            offer.month,
            month.map_or("not sold".to_owned(), money)
        )),
    }
}

/// The choice, served in continuous time, where nothing is rounded to ticks.
fn at_moments(demand: &Demand, ios: &[super::drawn_demand::Io], trial: &Trial, volume: &Volume) -> Verdict {
    let limits = [trial.rules.operations(volume), trial.rules.bytes(volume)];
    let tick_s = demand.tick_s * demand.patience() as u64;
    let late = |deadline_s| moments::late(ios, volume.kind, &limits, demand.margin_percent, deadline_s);
    if late(tick_s) <= trial.allowed {
        return Verdict::Equal;
    }
    // Two ticks more: an I/O may come at a tick's start and end at its last one's end, and a tick's first moments
    // are used for what comes in its last.
    let rounded = late(tick_s + 2 * demand.tick_s);
    if rounded <= trial.allowed {
        return Verdict::Explained("waits are known to a tick");
    }
    Verdict::Unexplained(format!(
        "{volume}: moment by moment {rounded} are late where {} may be",
        trial.allowed
    ))
}

fn described(served: Option<ServingVolume>) -> String {
    served.map_or("nothing".to_owned(), |served| format!("{} for {}", served.volume, money(served.month)))
}

fn money(pico: u64) -> String {
    format!("{:.2}", pico as f64 / UNIT)
}
