//! Any text is a plan or an error; a plan that was read reads back from what is written of it.
#![no_main]

use fathom_fuzz::within;
use fathom_plan::{PlanSource, check_arguments, pattern, to_command_line, to_toml};
use fathom_record::options::IoFlags;
use fathom_sim as sim;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = pattern(text);
    let arguments: Vec<std::ffi::OsString> = text.split_whitespace().map(Into::into).collect();
    let _ = check_arguments(&arguments);
    let _ = (sim::parse(text), IoFlags::parse(text));
    let read = |text: &str| PlanSource::from_toml(text, "plan.toml").and_then(|source| source.resolve(1));
    let mut plan = None;
    within(text.len(), "plan", || plan = read(text).ok());
    if let Some(plan) = plan {
        assert_eq!(read(&to_toml(&plan)).as_ref(), Ok(&plan));
        assert!(to_command_line(&plan).starts_with("fathom run --target"));
    }
});
