//! fio: its job files and command line as runs of fathom, its forms of output from run records, and its
//! results as run records ([`fio_json_results`], [`log`]).
//!
//! A command line and its job files become jobs with their options, as fio reads them ([`cmdline`],
//! [`jobfile`], [`job_expansion`]); each job becomes runs of fathom, or goes to the installed fio with the
//! reasons ([`map`]); the records of the runs become fio's texts ([`result_forms`]). What becomes of each of
//! fio's options is data ([`option_tables`]).

pub mod bins;
pub mod cmdline;
pub mod fio_job;
pub mod fio_json_results;
pub mod handover;
pub mod job_expansion;
pub mod jobfile;
pub mod log;
pub mod map;
pub mod normal_text;
pub mod option_tables;
mod prefixes;
pub mod read_iolog;
pub mod result_forms;
pub mod value;
pub mod workload_as_job_file;
