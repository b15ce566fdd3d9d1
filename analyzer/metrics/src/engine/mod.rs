//! The progress engine's activity: the ledger, after Table II of Gabriel, UH-CS-10-02, and figures derived from it.
//!
//! *Entries* are the outermost calls of the engine's functions inside MPI calls. *Productive* entries achieved
//! something: a component reported events, or bytes moved. *Ready* counts descriptors that `poll`, `select` or
//! `epoll_wait` reported; the paper calls these sockets kicked off.

mod calls;
mod components;
mod figures;
mod ledger;
mod lengths;
mod pending;
mod rates;
mod seen;
mod tables;

pub use calls::{EngineSiteRow, FunctionRow, functions, sites};
pub use components::{ComponentRow, components};
pub use figures::{FIGURES, LedgerFigure};
pub use ledger::Ledger;
pub use lengths::{LengthRow, lengths};
pub use pending::{StarvedRow, starved};
pub use rates::{FACTS, too_often};
pub use seen::{unseen, ways};
pub use tables::{RankLedgerRow, by_rank, ledger};
