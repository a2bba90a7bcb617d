//! Published results: a table that anyone can write down from an article, and what limits its rows.
//!
//! Rows that differ in one property answer the question that an experiment would have asked ([`inferred_answers`]);
//! rows and known bounds give symptoms ([`row_bounds`], [`side_figures`]), which `fathom-attribute` judges and words as
//! those of records; its evidence table turns them into a verdict ([`row_verdict`]). What no run gives is refused when
//! it is read ([`table_validation`]). Nothing is read that the table does not state. Pure.

mod bundled_evaluations;
mod cause_words;
mod concurrency_curve;
mod difference;
mod doubts;
mod experiment;
mod explained_patterns;
mod inferred_answers;
mod method;
mod name_counts;
mod other_rows;
mod published_table;
mod question;
mod row;
mod row_bounds;
mod row_contrasts;
mod row_verdict;
mod scaling_gains;
mod side_figures;
mod spreadsheet_table;
mod table_audit;
mod table_refusal;
mod table_validation;
mod underlying_device;

pub use bundled_evaluations::{HELD, HeldEvaluation};
pub use doubts::{doubts, unused};
pub use explained_patterns::{explained_patterns, remarks};
pub use method::Method;
pub use published_table::{Basis, ExplainedRow, Label, PublishedCeiling, PublishedTable, parse_published};
pub use question::unrated;
pub use row::PublishedRow;
pub use row_verdict::{RowExplanation, explain_published, explain_published_with};
pub use spreadsheet_table::{is_separated, parse_separated};
pub use table_audit::audit_published;
