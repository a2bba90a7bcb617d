//! Engines by which jobs of other systems are carried out on Windows.

use fathom_record::engine_list::{self, ENGINES, EngineEntry, InFlight, Platform};
use fathom_record::facts::TargetKind;

/// The engine of this system that does the work of another's: the first that keeps as many I/Os of files in flight from
/// a job's own thread. An engine that has no such stand-in is named as it is, and the plan is refused by its name.
pub fn native(engine: &'static str) -> &'static str {
    let is_here = |entry: &EngineEntry| entry.platforms.contains(&Platform::Windows);
    let keeps_depth =
        |entry: &EngineEntry| entry.in_flight == InFlight::Depth && entry.carries(TargetKind::File);
    let Some(asked) = engine_list::named(engine) else { return engine };
    if is_here(asked) || !keeps_depth(asked) {
        return engine;
    }
    ENGINES.iter().find(|entry| is_here(entry) && keeps_depth(entry)).map_or(engine, |entry| entry.name)
}
