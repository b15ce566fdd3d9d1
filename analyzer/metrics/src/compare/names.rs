//! What the tables of a comparison are called.

/// The table of what stands alone.
pub const RUN: &str = "run";
/// What the progress engine did.
pub const ENGINE: &str = "ledger";
/// By function.
pub const FUNCTIONS: &str = "functions";
/// What a function takes of a rank in the mean: the table and the column.
pub const FUNCTION_TIMES: (&str, &str) = (FUNCTIONS, "time_mean_s");
/// By call site and function.
pub const SITES: &str = "sites";
/// By bytes of a call and function.
pub const SIZES: &str = "sizes";
/// By function, how unevenly.
pub const IMBALANCE: &str = "imbalance";
/// By wait state.
pub const WAITS: &str = "wait_states";
/// By way, function, call site and size, of nonblocking requests.
pub const OVERLAP: &str = "overlap";
/// The POP metrics.
pub const POP: &str = "pop";
/// All of them.
pub const TABLES: [&str; 9] = [RUN, ENGINE, FUNCTIONS, SITES, SIZES, IMBALANCE, WAITS, POP, OVERLAP];
