//! Time of processors from the bytes that Windows tells it in (`SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION`), in steps of
//! 100 ns.

use super::Ticks;

/// One processor: idle, kernel, user, deferred and interrupt time, and a count.
const ENTRY: usize = 48;

/// Ticks of the machine and of each processor, by label; what is cut is left out.
pub fn parse(bytes: &[u8]) -> Vec<(String, Ticks)> {
    let each: Vec<Ticks> = bytes.chunks_exact(ENTRY).map(ticks).collect();
    let mut whole: Ticks = [0; 7];
    for ticks in &each {
        whole.iter_mut().zip(ticks).for_each(|(sum, ticks)| *sum = sum.saturating_add(*ticks));
    }
    let processors = each.into_iter().enumerate().map(|(number, ticks)| (number.to_string(), ticks));
    let mut labelled: Vec<(String, Ticks)> = processors.collect();
    if !labelled.is_empty() {
        labelled.insert(0, (String::new(), whole));
    }
    labelled
}

/// Kernel time has idle, deferred and interrupt time in it.
fn ticks(entry: &[u8]) -> Ticks {
    let number = |at: usize| {
        let bytes = entry[8 * at..8 * at + 8].try_into().expect("an entry has six of them");
        u64::try_from(i64::from_le_bytes(bytes)).unwrap_or(0)
    };
    let [idle, kernel, user, deferred, interrupt] = [0, 1, 2, 3, 4].map(number);
    let system = [idle, deferred, interrupt].iter().fold(kernel, |left, part| left.saturating_sub(*part));
    [user, system, interrupt, deferred, 0, 0, idle]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(times: [i64; 5]) -> Vec<u8> {
        let mut bytes: Vec<u8> = times.into_iter().flat_map(i64::to_le_bytes).collect();
        bytes.resize(ENTRY, 0);
        bytes
    }

    #[test]
    fn kernel_time_is_told_apart_and_processors_add_up() {
        let bytes = [entry([100, 160, 40, 10, 5]), entry([50, 50, 50, 0, 0])].concat();
        let read = parse(&bytes);
        assert_eq!(read[0], (String::new(), [90, 45, 5, 10, 0, 0, 150]));
        assert_eq!(read[1], ("0".to_owned(), [40, 45, 5, 10, 0, 0, 100]));
        assert_eq!(read[2].0, "1");
        assert_eq!(parse(&bytes[..95]).len(), 2);
    }

    #[test]
    fn any_times_are_taken() {
        assert!(parse(&[]).is_empty() && parse(&[0; 47]).is_empty());
        let odd = [entry([i64::MAX; 5]), entry([-1; 5]), entry([i64::MAX, 0, i64::MAX, 0, 0])].concat();
        assert_eq!(parse(&odd).len(), 4);
    }
}
