//! Least squares without derivatives: the simplex of Nelder and Mead (1965), in few dimensions.

/// Steps after which the best point so far is taken.
const MAX_STEPS: usize = 2000;

/// The point of least `cost` found from `start` with a first simplex of edge `step`.
pub(super) fn minimise<const N: usize>(
    cost: impl Fn(&[f64; N]) -> f64,
    start: [f64; N],
    step: f64,
) -> ([f64; N], f64) {
    let evaluate = |point: [f64; N]| {
        let value = cost(&point);
        (point, if value.is_nan() { f64::INFINITY } else { value })
    };
    let mut simplex = vec![evaluate(start)];
    for axis in 0..N {
        let mut point = start;
        point[axis] += step;
        simplex.push(evaluate(point));
    }
    for _ in 0..MAX_STEPS {
        simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (best, second, worst) = (simplex[0].1, simplex[N - 1].1, simplex[N]);
        if worst.1 - best <= 1e-12 * (best.abs() + 1e-12) {
            break;
        }
        let centre: [f64; N] =
            std::array::from_fn(|i| simplex[..N].iter().map(|(p, _)| p[i]).sum::<f64>() / N as f64);
        let towards = |by: f64| evaluate(std::array::from_fn(|i| centre[i] + by * (worst.0[i] - centre[i])));
        let reflected = towards(-1.0);
        let next = if reflected.1 < best {
            let expanded = towards(-2.0);
            if expanded.1 < reflected.1 { expanded } else { reflected }
        } else if reflected.1 < second {
            reflected
        } else {
            towards(if reflected.1 < worst.1 { -0.5 } else { 0.5 })
        };
        if next.1 < worst.1 {
            simplex[N] = next;
            continue;
        }
        let anchor = simplex[0].0;
        for (point, value) in &mut simplex[1..] {
            (*point, *value) = evaluate(std::array::from_fn(|i| (point[i] + anchor[i]) / 2.0));
        }
    }
    simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
    simplex[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curved_valley_of_rosenbrock_is_followed_to_its_end() {
        let (point, cost) =
            minimise(|[x, y]| (1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2), [-1.2, 1.0], 0.5);
        assert!((point[0] - 1.0).abs() < 1e-4 && (point[1] - 1.0).abs() < 1e-4, "{point:?} {cost}");
    }

    #[test]
    fn a_cost_without_numbers_ends() {
        assert_eq!(minimise(|_: &[f64; 2]| f64::NAN, [1.0, 2.0], 0.1).1, f64::INFINITY);
    }
}
