//! Simulated cases: families of devices and loads whose answer is known, each drawn anew from a seed.

mod concurrency_cases;
mod credit_cases;
mod disturbed;
mod rate_limit_cases;
mod sim_case;
#[cfg(test)]
mod tests;
mod unbound;
mod write_cases;

use super::super::draw::Draw;
use super::case::Case;

/// Draws one case.
type Family = fn(&mut Draw) -> Case;

/// Families with how many of each the fixed part of the lab has.
const FAMILIES: [(&str, usize, Family); 17] = [
    ("volume-iops", 12, rate_limit_cases::volume_iops),
    ("volume-throughput", 12, rate_limit_cases::volume_throughput),
    ("both-limits", 4, rate_limit_cases::both),
    ("instance", 12, rate_limit_cases::instance),
    ("throttle", 6, rate_limit_cases::throttle),
    ("credits-gone", 6, credit_cases::gone),
    ("credits-running-out", 8, credit_cases::running_out),
    ("link", 10, concurrency_cases::link),
    ("concurrency", 12, concurrency_cases::concurrency),
    ("parallelism", 12, concurrency_cases::parallelism),
    ("tags", 10, concurrency_cases::tags),
    ("write-cliff", 10, write_cases::cliff),
    ("indirection", 10, write_cases::indirection),
    ("interference", 12, disturbed::interference),
    ("demand", 10, unbound::demand),
    ("charged", 4, unbound::charged),
    ("lock", 10, concurrency_cases::lock),
];

/// Seed of the fixed part.
const FIXED: u64 = 1;

/// The fixed part: the same in every run.
pub fn fixed() -> Vec<Case> {
    let mut cases = Vec::new();
    for (index, (name, count, family)) in FAMILIES.iter().enumerate() {
        let mut draw = Draw::new(FIXED, index as u64);
        cases.extend((1..=*count).map(|number| named(family(&mut draw), &format!("sim/{name}/{number}"))));
    }
    cases
}

/// The first of each family.
pub fn short() -> Vec<Case> {
    let mut cases = fixed();
    cases.retain(|case| case.id.ends_with("/1"));
    cases
}

/// So many more, of one family after the other, from a seed.
pub fn fresh(count: usize, seed: u64) -> Vec<Case> {
    let mut draws: Vec<Draw> =
        (0..FAMILIES.len()).map(|index| Draw::new(seed, 1000 + index as u64)).collect();
    (0..count)
        .map(|number| {
            let index = number % FAMILIES.len();
            let (name, _, family) = &FAMILIES[index];
            named(family(&mut draws[index]), &format!("fresh/{name}/{}", number / FAMILIES.len() + 1))
        })
        .collect()
}

fn named(case: Case, id: &str) -> Case {
    Case { id: id.to_owned(), ..case }
}
