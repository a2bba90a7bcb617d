//! The house rules, one a file. Each takes the tree and gives what breaks it.

mod banned_words;
mod dead_items;
mod dependencies;
mod doc_links;
mod file_creation;
mod file_length;
mod function_length;
mod layers;
mod links;
mod markup;
mod module_comment;
mod module_names;
mod orphans;
mod phrases;
mod platform;
mod skips;
mod unsafe_reason;
mod workplace;

use crate::finding::Finding;
use crate::tree::Tree;

const RULES: [fn(&Tree) -> Vec<Finding>; 18] = [
    banned_words::check,
    dead_items::check,
    dependencies::check,
    doc_links::check,
    file_creation::check,
    file_length::check,
    function_length::check,
    layers::check,
    links::check,
    markup::check,
    module_comment::check,
    module_names::check,
    orphans::check,
    phrases::check,
    platform::check,
    skips::check,
    unsafe_reason::check,
    workplace::check,
];

/// What breaks any rule.
pub fn check(tree: &Tree) -> Vec<Finding> {
    RULES.iter().flat_map(|rule| rule(tree)).collect()
}
