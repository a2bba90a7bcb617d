//! What blocks of other sizes say together: whether each I/O takes a time and its bytes another, as in a device, or whether all
//! blocks up to some size count alike, as of a limit.

use crate::evidence::{CUT_SHORT, Feature};
use crate::experiments::{BlockSizeLaw, far_ratio, law};
use crate::input::MeasuredPattern;

use super::Symptom;

/// Puts the answers of other blocks beside each other.
pub fn seen(pattern: &MeasuredPattern<'_>, found: &mut Vec<Symptom>) {
    at_a_corner(found);
    let far = far_ratio(pattern).zip(law(pattern.answers));
    let lines = [far.and_then(|(ratio, law)| far_line(found, ratio, law)), service_line(found)];
    // As its time over that of the law, which it is on the table's scale.
    if let Some((ratio, law)) = far {
        for seen in found.iter_mut().filter(|seen| seen.figure.feature == Feature::FarBlock) {
            seen.figure.value = -seen.figure.value - law.time(ratio).ln();
            if seen.figure.at_least.take().is_some() {
                seen.figure.error = CUT_SHORT;
            }
        }
    }
    found.extend(lines.into_iter().flatten());
}

/// Least logarithm by which the far block has to be slower than its law says.
const LEAST_OFF: f64 = 0.03;
/// Least share of a line's bend that is told from none.
const LEAST_BEND: f64 = 0.2;
/// A bend that is known no better than this says nothing.
const MOST_ERROR: f64 = 0.6;

/// Whether half or twice the block lie on the line of time over size that goes through the block itself and one far away. At the
/// corner of two limits they still follow the law of the one that binds, to the last operation.
///
/// The figure is the logarithm of how far they are from that law over how far the line is.
fn far_line(found: &[Symptom], far_ratio: f64, law: BlockSizeLaw) -> Option<Symptom> {
    let of = |feature: Feature| {
        found.iter().find(|seen| seen.figure.feature == feature && seen.figure.at_least.is_none())
    };
    // Times of an I/O over that of the block itself.
    let far = (-of(Feature::FarBlock)?.figure.value).exp();
    if (far / law.time(far_ratio)).ln() < LEAST_OFF {
        return None;
    }
    let each_byte = (far - 1.0) / (far_ratio - 1.0);
    let (mut weights, mut bend) = (0.0, 0.0);
    for (feature, ratio) in [(Feature::HalfBlock, 0.5), (Feature::DoubleBlock, 2.0)] {
        let Some(near) = of(feature) else { continue };
        let time = (-near.figure.value).exp();
        let expected = 1.0 + each_byte * (ratio - 1.0) - law.time(ratio);
        let error = near.figure.error * time / expected;
        let weight = error.powi(-2);
        if weight.is_finite() {
            bend += weight * (time - law.time(ratio)) / expected;
            weights += weight;
        }
    }
    let (bend, error) = (bend / weights, weights.sqrt().recip());
    if !(bend.is_finite() && error <= MOST_ERROR) {
        return None;
    }
    let text = match bend {
        bend if bend > 0.5 => {
            "Blocks of three sizes fit one line of time over size: each I/O takes a time, and its bytes another."
        }
        _ => {
            "Half or twice the block goes at the same rate all the same, so that what stops a far one is something else."
        }
    };
    let bend = bend.max(LEAST_BEND);
    Symptom::new(Feature::FarLine, bend.ln(), error / bend.max(0.5), text)
}

/// Whether half and twice the block show a service that takes a time for each I/O and another for its bytes: what twice the
/// block adds is then twice what half of it saves. Where blocks count alike or as their bytes alone, nothing is told.
fn service_line(found: &[Symptom]) -> Option<Symptom> {
    /// Least distance of both answers from both laws of a limit.
    const OFF: f64 = 0.03;
    let of = |feature: Feature| {
        let seen = found.iter().find(|seen| seen.figure.feature == feature)?;
        let is_off = (OFF..=std::f64::consts::LN_2 - OFF).contains(&seen.figure.value.abs());
        (is_off && seen.figure.at_least.is_none()).then_some(seen.figure)
    };
    let (half, double) = (of(Feature::HalfBlock)?, of(Feature::DoubleBlock)?);
    // Times of an I/O over that of the block itself.
    let (less, more) = (1.0 - (-half.value).exp(), (-double.value).exp() - 1.0);
    if less <= 0.0 || more <= 0.0 {
        return None;
    }
    let error = (half.error / less).hypot(2.0 * double.error / more);
    let text = "Half and twice the block fit one line of time over size: each I/O takes a time, and its bytes another.";
    let text = if (more / (2.0 * less)).ln().abs() <= (2.0 * error).max(0.1) {
        text
    } else {
        "Half and twice the block fit no line of time over size."
    };
    Symptom::new(Feature::ServiceLine, (more / (2.0 * less)).ln(), error, text)
}

/// Block sizes whose answers are one law are this near to it.
const ON_LAW: f64 = 0.02;

/// Where half the block changes nothing and twice the block less than bytes would, or the other way round, the block lies
/// near the corner of two limits: the answer on the far side of it was cut short by the other one.
fn at_a_corner(found: &mut [Symptom]) {
    let value =
        |feature: Feature| found.iter().find(|seen| seen.figure.feature == feature).map(|s| s.figure.value);
    let (Some(half), Some(double)) = (value(Feature::HalfBlock), value(Feature::DoubleBlock)) else { return };
    let bytes = std::f64::consts::LN_2;
    let is_between = |value: f64| (ON_LAW..bytes - ON_LAW).contains(&value);
    let beyond = match (half, double) {
        (half, double) if half.abs() <= ON_LAW && is_between(-double) => Feature::DoubleBlock,
        (half, double) if (double + bytes).abs() <= ON_LAW && is_between(half) => Feature::HalfBlock,
        _ => return,
    };
    let is_whole = |seen: &&mut Symptom| seen.figure.at_least.is_none();
    for seen in found.iter_mut().filter(|seen| seen.figure.feature == beyond).filter(is_whole) {
        seen.figure.at_least = Some(seen.figure.error);
        seen.figure.error = CUT_SHORT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen_of(feature: Feature, ratio: f64) -> Symptom {
        Symptom::new(feature, ratio.ln(), 0.005, "").unwrap()
    }

    #[test]
    fn a_far_block_tells_a_service_from_the_corner_of_two_limits() {
        let of = |law, far: (f64, f64), near: &[(Feature, f64)]| {
            let mut found: Vec<Symptom> =
                near.iter().map(|(feature, ratio)| seen_of(*feature, *ratio)).collect();
            found.push(seen_of(Feature::FarBlock, far.1));
            far_line(&found, far.0, law).map(|seen| seen.figure.value)
        };
        // 870 us for each I/O and 16 us for its bytes: 2 % less with twice the block, 22 % with sixteen times.
        let service = |times: f64| 886.0 / (870.0 + 16.0 * times);
        let line =
            of(BlockSizeLaw::Operations, (16.0, service(16.0)), &[(Feature::DoubleBlock, service(2.0))])
                .unwrap();
        assert!(line.abs() < 1e-9, "{line}");
        // A limit on operations, and far away one on bytes.
        let corner =
            of(BlockSizeLaw::Operations, (16.0, service(16.0)), &[(Feature::DoubleBlock, 1.0)]).unwrap();
        assert!(corner < -1.5, "{corner}");
        // 260 us for each I/O and 3,084 us for its bytes: a sixteenth of the block is no sixteen times as fast.
        let bytes = |times: f64| 3344.0 / (260.0 + 3084.0 * times);
        let near = [(Feature::HalfBlock, bytes(0.5)), (Feature::DoubleBlock, bytes(2.0))];
        let line = of(BlockSizeLaw::Bytes, (1.0 / 16.0, bytes(1.0 / 16.0)), &near).unwrap();
        assert!(line.abs() < 1e-9, "{line}");
        let held = [(Feature::HalfBlock, 2.0), (Feature::DoubleBlock, 0.5)];
        let corner = of(BlockSizeLaw::Bytes, (1.0 / 16.0, bytes(1.0 / 16.0)), &held).unwrap();
        assert!(corner < -1.5, "{corner}");
        // On the law as far as one can see, and without a near block that is whole.
        assert_eq!(of(BlockSizeLaw::Operations, (16.0, 0.99), &[(Feature::DoubleBlock, 1.0)]), None);
        assert_eq!(of(BlockSizeLaw::Operations, (16.0, 0.5), &[]), None);
    }

    #[test]
    fn an_answer_beyond_a_corner_says_little() {
        let of = |half: f64, double: f64| {
            let seen = |feature, value| Symptom::new(feature, value, 0.005, "").unwrap();
            let mut found = [seen(Feature::HalfBlock, half), seen(Feature::DoubleBlock, double)];
            at_a_corner(&mut found);
            found.map(|seen| seen.figure.error)
        };
        assert_eq!(of(0.0, -0.4), [0.005, CUT_SHORT]);
        assert_eq!(of(0.4, -0.69), [CUT_SHORT, 0.005]);
        for (half, double) in [(0.0, 0.0), (0.69, -0.69), (0.2, -0.3), (0.0, -0.69)] {
            assert_eq!(of(half, double), [0.005, 0.005], "{half} {double}");
        }
    }

    #[test]
    fn blocks_off_both_laws_are_held_against_a_line() {
        let of = |half: f64, double: f64| {
            let seen = |feature, value: f64| Symptom::new(feature, value.ln(), 0.005, "").unwrap();
            service_line(&[seen(Feature::HalfBlock, half), seen(Feature::DoubleBlock, double)])
                .map(|seen| seen.figure.value)
        };
        // 70 us for each I/O and 163 us for its bytes.
        let line = of(233.0 / 151.5, 233.0 / 396.0).unwrap();
        assert!(line.abs() < 1e-9, "{line}");
        assert!(of(1.2, 0.55).unwrap().abs() > 0.5);
        for none in [(1.0, 1.0), (2.0, 0.5), (1.0, 0.6), (1.4, 0.5)] {
            assert_eq!(of(none.0, none.1), None, "{none:?}");
        }
    }
}
