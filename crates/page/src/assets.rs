//! The files of the page that this build took in.

/// One file.
#[derive(Debug)]
pub(crate) struct Asset {
    /// Its name, which is its path too; `index.html` is at `/`.
    pub(crate) name: &'static str,
    /// Its media type.
    pub(crate) media_type: &'static str,
    /// Changes when the file does.
    pub(crate) tag: &'static str,
    /// What it holds.
    pub(crate) bytes: &'static [u8],
}

const ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Whether this build has the page itself, and not its answers to programs alone.
pub fn has_assets() -> bool {
    !ASSETS.is_empty()
}

/// The file at a path.
pub(crate) fn find(path: &str) -> Option<&'static Asset> {
    let name = if path == "/" { "index.html" } else { path.strip_prefix('/')? };
    ASSETS.iter().find(|asset| asset.name == name)
}

/// What stands in the page's place where this build has none.
pub(crate) const ABSENT: &str = "\
This build of fathom has no page, because it was built without npm's part of it.

In a checkout of fathom, with npm installed, type:
    cargo xtask page
    cargo build --release

The answers for programs are there all the same, e.g. /api/runs?limit=10.
";
