//! Figures about a run. Each metric is a pure function from the model to rows of typed values.
//!
//! Floors, the highest first; a file uses only files on lower ones:
//!
//! ```text
//! lib
//! scaling
//! compare reports
//! summary
//! behaviors groupings hang heat hosts imbalance operations paths ranks top waits warnings
//! what_if why
//! breakdown check counters critical engine fanout files matrix messages overlap overview pop rank_time regions sleeps stacks starting teams whereabouts
//! run_end
//! accessed collective_parts cost endings file_calls overlong rank_programs
//! launch_words median network scheduling settings shares totals
//! grouped_in_order least_squares mean meaning topics words
//! ```

mod accessed;
pub mod behaviors;
pub mod breakdown;
pub mod check;
mod collective_parts;
pub mod compare;
pub mod cost;
pub mod counters;
pub mod critical;
mod endings;
pub mod engine;
pub mod fanout;
mod file_calls;
pub mod files;
pub mod grouped_in_order;
pub mod groupings;
pub mod hang;
pub mod heat;
pub mod hosts;
pub mod imbalance;
mod launch_words;
mod least_squares;
pub mod matrix;
pub mod mean;
pub mod meaning;
pub mod median;
pub mod messages;
pub mod network;
pub mod operations;
pub mod overlap;
mod overlong;
pub mod overview;
pub mod paths;
pub mod pop;
pub mod rank_programs;
pub mod rank_time;
pub mod ranks;
pub mod regions;
pub mod reports;
pub mod run_end;
pub mod scaling;
pub mod scheduling;
pub mod settings;
mod shares;
pub mod sleeps;
pub mod stacks;
pub mod starting;
pub mod summary;
pub mod teams;
pub mod top;
pub mod topics;
pub mod totals;
pub mod waits;
pub mod warnings;
pub mod what_if;
mod whereabouts;
pub mod why;
pub mod words;
