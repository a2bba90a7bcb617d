//! Cases on this machine: devices, control groups and other programs made for each, and taken down after.

mod group;
mod mount;
mod recipes;
mod rival;
mod served;
mod zram;

use super::super::teardown::{self, GuardStack};
use super::ask::{Asker, Question};
use super::case::Place;
use super::score::JudgedCase;
use recipes::Bench;
pub use recipes::{Recipe, all};

/// A case's id.
pub fn id(recipe: &Recipe) -> String {
    format!("machine/{}", recipe.id)
}

/// Whether this process may set up what needs rights.
pub fn is_root() -> bool {
    teardown::tool("id", &["-u"]).is_ok_and(|id| id == "0")
}

/// Sets a case up, asks, and takes it down; `Err` is why it cannot be set up here.
///
/// # Errors
/// The reason.
pub fn try_one(recipe: &Recipe, asker: &Asker<'_>) -> Result<JudgedCase, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
    let mut held = GuardStack::default();
    let bench = Bench { fathom: asker.fathom, folder: folder.path() };
    let mut ready = (recipe.make)(&bench, &mut held)?;
    ready.arguments.push(format!("--time={}s", asker.seconds));
    let id = id(recipe);
    let question =
        Question { id: &id, arguments: &ready.arguments, groups: &ready.groups, folder: folder.path() };
    let answer = asker.ask(&question);
    drop(held);
    Ok(JudgedCase {
        id,
        truth: recipe.truth.clone(),
        place: Place::Machine,
        arguments: ready.arguments,
        answer,
    })
}
