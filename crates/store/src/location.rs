//! Where the store lies when nobody says otherwise.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::{StoreError, StoreErrorKind};
use crate::private_files;

/// The user's own store: `$XDG_DATA_HOME/fathom/runs.sqlite`, else
/// `~/.local/share/fathom/runs.sqlite`; on Windows `%LOCALAPPDATA%\fathom\runs.sqlite`.
///
/// `variable` looks up an environment variable, as `std::env::var_os` does. As the XDG base
/// directory specification asks, a relative `XDG_DATA_HOME` is ignored.
///
/// # Errors
/// When no variable says where the user's data is.
pub fn default_path(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, StoreError> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    private_files::data_home(absolute).map(|home| home.join("fathom").join("runs.sqlite")).ok_or_else(|| {
        StoreError::new(
            StoreErrorKind::NotFound,
            "choosing a place for the run store",
            format!("none of {} names a folder", private_files::DATA_HOME_VARIABLES.join(", ")),
        )
        .with_remedy("give a place with --store FILE")
    })
}
