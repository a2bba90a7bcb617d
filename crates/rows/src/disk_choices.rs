//! The disks that one may be chosen of, as a refusal lists them.

use fathom_order::InOrder;

/// Disks that are listed.
const LISTED: usize = 10;

/// Names with how busy each is, the busiest first, and how many more there are.
pub fn listed(mut disks: Vec<(String, f64)>) -> String {
    disks.put_in_order_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let more = disks.len().saturating_sub(LISTED);
    let names: Vec<String> = disks.into_iter().take(LISTED).map(|(name, _)| name).collect();
    match more {
        0 => names.join(", "),
        more => format!("{}, and {more} less busy ones", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_disks_the_busiest_are_listed() {
        let of = |count: u32| listed((0..count).map(|at| (format!("sd{at}"), f64::from(at))).collect());
        assert_eq!(of(3), "sd2, sd1, sd0");
        assert_eq!(
            of(300),
            "sd299, sd298, sd297, sd296, sd295, sd294, sd293, sd292, sd291, sd290, and 290 less busy ones"
        );
    }
}
