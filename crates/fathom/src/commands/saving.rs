//! Saves runs as they end. A store that fails does not take the results with it: they are printed, and the
//! command says that they are saved nowhere and does not end as done.

use fathom_record::telemetry::AbsentSource;
use fathom_record::{RunRecord, shell_word};
use fathom_store::Store;

use super::store_access::StorePlace;
use crate::failure::Failure;
use crate::output::{self, Machine};

/// The store, or that there is none; and what became of the runs.
pub struct RunSaver {
    store: Option<Store>,
    saved: usize,
    lost: usize,
    /// Whether nothing is to be saved, and nothing is lost by it.
    idle: bool,
}

impl RunSaver {
    /// The same for what ends as another tool does, which saves nothing: where no flag, config file or environment
    /// says where the store is, there is none, and that is no failure.
    pub fn open_where_named(place: &StorePlace) -> Self {
        match place.path() {
            Ok(_) => Self::open(place),
            Err(_) => Self { store: None, saved: 0, lost: 0, idle: true },
        }
    }

    /// What a result says of it where it is not saved and nothing failed.
    pub fn remark(&self) -> Option<String> {
        self.idle
            .then(|| "not saved: neither --store, FATHOM_STORE, XDG_DATA_HOME nor HOME says where".to_owned())
    }

    /// Opens the store; one that cannot be used is told at once, before anything is measured.
    pub fn open(place: &StorePlace) -> Self {
        let told = |failure: Failure| {
            let cause = format!("{}; results will be printed, and not saved", failure.cause);
            Failure { cause, ..failure }.warn();
        };
        Self { store: place.open().map_err(|error| told(error.into())).ok(), saved: 0, lost: 0, idle: false }
    }

    /// The sources that the newest run in the store lacked; none where there is no run.
    pub fn lacked_last(&self) -> Vec<AbsentSource> {
        let newest = self.store.as_ref().and_then(|store| store.run(&store.resolve_run("last").ok()?).ok());
        newest.map_or_else(Vec::new, |run| run.telemetry.absent)
    }

    /// Saves a run; the first failure ends the store's use, and is told.
    pub fn put(&mut self, record: &RunRecord) {
        match self.store.as_ref().map(|store| store.put_run(record)) {
            Some(Ok(())) => self.saved += 1,
            Some(Err(error)) => {
                Failure::from(error).warn();
                self.store = None;
                self.lost += 1;
            }
            None if self.idle => {}
            None => self.lost += 1,
        }
    }

    /// Whether runs were put, and all of them were saved.
    pub fn is_whole(&self) -> bool {
        self.saved > 0 && self.lost == 0
    }

    /// Whether all runs were saved; otherwise says how they still can be, as the last thing that is said.
    pub fn finish(&self, machine: &Machine) -> bool {
        if self.lost > 0 {
            output::message(&self.words(machine));
        }
        self.lost == 0
    }

    fn words(&self, machine: &Machine) -> String {
        let what = match (self.saved, self.lost) {
            (0, _) => "nothing was saved".to_owned(),
            (saved, lost) => format!("{lost} of {} runs were not saved", saved + lost),
        };
        let again = match machine {
            Machine::File(path) => {
                format!("to save it: fathom import {} --store FILE", shell_word(&path.to_string_lossy()))
            }
            Machine::Stdout | Machine::Lines => {
                "to save it, put what was printed into a file: fathom import THAT --store FILE".to_owned()
            }
            Machine::Off => {
                "to save the next run, name a store on another disk (--store FILE)\n  or add --json=FILE: fathom \
                 import FILE saves that later"
                    .to_owned()
            }
        };
        format!("\n{what}\n  {again}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_saved_is_told_with_what_to_type() {
        let saving = |saved, lost| RunSaver { store: None, saved, lost, idle: false };
        assert!(saving(3, 0).finish(&Machine::Off) && saving(0, 0).finish(&Machine::Off));
        assert!(!saving(0, 1).finish(&Machine::Off));
        let words = saving(0, 1).words(&Machine::File("my run.json".into()));
        assert_eq!(words, "\nnothing was saved\n  to save it: fathom import 'my run.json' --store FILE");
        assert!(saving(2, 1).words(&Machine::Off).contains("1 of 3 runs were not saved"));
    }
}
