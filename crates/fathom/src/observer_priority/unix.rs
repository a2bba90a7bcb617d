//! By the nice value of the thread, which those that it starts inherit.

/// Steps that the nice value goes up.
const STEPS: i32 = 5;

/// Lets others go first from now on; to be called before threads are started. Where the system refuses, nothing changes.
pub fn go_behind() {
    let _ = rustix::process::nice(STEPS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_and_those_that_it_starts_go_behind_and_no_others() {
        let value = || rustix::process::getpriority_process(None).unwrap();
        let before = value();
        let behind = std::thread::spawn(move || {
            go_behind();
            (value(), std::thread::spawn(value).join().unwrap())
        });
        let expected = (before + STEPS).min(19);
        assert_eq!((behind.join().unwrap(), value()), ((expected, expected), before));
    }
}
