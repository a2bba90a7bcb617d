//! What kept a run's threads, or the tool that carried it, from changing anything that was not named.

use serde::{Deserialize, Serialize};

/// The wall that the kernel held around whatever did the I/O.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WallFacts {
    /// What held it: `landlock`; absent where no wall was in force.
    pub mechanism: Option<String>,
    /// Landlock's ABI as far as it was used; absent where no wall was in force.
    pub abi: Option<u32>,
    /// Why none was in force; absent where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// What this kernel's wall does not stop, as short sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaves_open: Vec<String>,
}
