//! The names of a comparison's tables.

/// Facts of the run.
pub const RUN: &str = "run";
/// Figures of the progress engine.
pub const ENGINE: &str = "ledger";
/// Time by function.
pub const FUNCTIONS: &str = "functions";
/// Time by function, mean of the ranks: table and column.
pub const FUNCTION_TIMES: (&str, &str) = (FUNCTIONS, "time_mean_s");
/// Time by call site and function.
pub const SITES: &str = "sites";
/// Time by size of message and function.
pub const SIZES: &str = "sizes";
/// Imbalance by function.
pub const IMBALANCE: &str = "imbalance";
/// Waits by wait state.
pub const WAITS: &str = "wait_states";
/// Nonblocking requests by direction, function, call site and size.
pub const OVERLAP: &str = "overlap";
/// The POP metrics.
pub const POP: &str = "pop";
/// All tables, as `--fail-if TABLE:` may name them.
pub const TABLES: [&str; 9] = [RUN, ENGINE, FUNCTIONS, SITES, SIZES, IMBALANCE, WAITS, POP, OVERLAP];
