//! Writes the JSON Schemas of plans and records anew; with `--check` it compares, and names what is stale.
//!
//! `cargo xtask schema` runs it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the terminal")]

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let check = std::env::args().nth(1).as_deref() == Some("--check");
    let rooms = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let of_records = fathom_record::json_schemas::derived().map(|(name, schema)| ("record", name, schema));
    let of_plans = [("plan", "plan", fathom_plan::derived_schema())];
    let mut stale = 0;
    for (room, name, schema) in of_records.into_iter().chain(of_plans) {
        let path = rooms.join(room).join("schema").join(format!("{name}.json"));
        let text = format!("{schema:#}\n");
        if std::fs::read_to_string(&path).is_ok_and(|there| there == text) {
            continue;
        }
        if check {
            eprintln!(
                "{}: is not what the types say: type `cargo xtask schema` and commit it",
                path.display()
            );
            stale += 1;
        } else if let Err(error) = std::fs::write(&path, text) {
            eprintln!("{}: {error}", path.display());
            stale += 1;
        } else {
            println!("wrote {}", path.display());
        }
    }
    if stale == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
