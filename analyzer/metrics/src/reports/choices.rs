//! What chooses the tables of a report.

use std::str::FromStr;

use tables::Named;

/// What a report breaks the time down by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breakdown {
    Function,
    /// All ranks side by side.
    Rank,
    /// One rank alone.
    OneRank(u32),
    /// Communicator, window or file.
    Communicator,
    /// Call site.
    Site,
    /// Bytes of a call.
    Size,
    /// The rank at the other end.
    Peer,
    Thread,
    /// Innermost region of the program.
    Region,
    /// Collective call, all its ranks together.
    Collective,
}

/// What the engine's figures are broken down by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByEngine {
    Rank,
    /// Part of the engine.
    Component,
    Function,
    /// Call site.
    Site,
}

/// What imbalance is broken down by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByPlace {
    Function,
    /// Call site.
    Site,
}

impl Named for ByEngine {
    const NAMES: &'static [(&'static str, &'static str, ByEngine)] = &[
        ("rank", "Rank", ByEngine::Rank),
        ("component", "Part of the engine", ByEngine::Component),
        ("function", "MPI function", ByEngine::Function),
        ("site", "Place in the program", ByEngine::Site),
    ];
}

impl Named for ByPlace {
    const NAMES: &'static [(&'static str, &'static str, ByPlace)] =
        &[("function", "MPI function", ByPlace::Function), ("site", "Place in the program", ByPlace::Site)];
}

impl FromStr for Breakdown {
    type Err = String;

    fn from_str(text: &str) -> Result<Breakdown, String> {
        Ok(match text {
            "function" => Breakdown::Function,
            "rank" => Breakdown::Rank,
            "comm" => Breakdown::Communicator,
            "site" => Breakdown::Site,
            "size" => Breakdown::Size,
            "peer" => Breakdown::Peer,
            "thread" => Breakdown::Thread,
            "region" => Breakdown::Region,
            "collective" => Breakdown::Collective,
            _ => match text.strip_prefix("rank=").map(str::parse) {
                Some(Ok(rank)) => Breakdown::OneRank(rank),
                _ => {
                    let names = "function, rank, rank=N, comm, site, size, peer, thread, region, collective";
                    return Err(format!("it is one of {names}"));
                }
            },
        })
    }
}
