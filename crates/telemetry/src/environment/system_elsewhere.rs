//! Systems that tell all of themselves in files.

use fathom_record::environment_facts::Environment;

/// Nothing more is known.
pub fn complete(_: &mut Environment) {}
