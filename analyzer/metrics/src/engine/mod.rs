//! The progress engine's activity: the ledger, after Table II of Gabriel, UH-CS-10-02, and figures derived from it.
//!
//! *Entries* are the outermost calls of the engine's functions inside MPI calls. *Productive* entries achieved
//! something: a component reported events, or bytes moved. *Ready* counts descriptors that `poll`, `select` or
//! `epoll_wait` reported; the paper calls these sockets kicked off.

mod components;
mod engine_figures;
mod engine_tables;
mod ledger;
mod lengths;

pub use components::{ComponentRow, components, unseen, ways};
pub use engine_figures::{FIGURES, LedgerFigure};
pub use engine_tables::{
    EngineSiteRow, FunctionRow, RankLedgerRow, StarvedRow, by_rank, functions, functions_of, ledger, sites, starved,
};
pub use ledger::{FACTS, Ledger, too_often};
pub use lengths::{LengthRow, lengths};
