//! The choices that a report is broken down by.

use std::str::FromStr;

use tables::Named;

/// The property by which `report` breaks the time down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breakdown {
    Function,
    /// All ranks side by side.
    Rank,
    /// One rank alone.
    OneRank(u32),
    /// By communicator, window or file.
    Communicator,
    Site,
    /// By bytes of a call.
    Size,
    /// By the rank at the other end.
    Peer,
    Thread,
    /// By host: its cores and the ranks on them.
    Host,
    /// By innermost region of the program.
    Region,
    /// By collective operation, all its ranks together.
    Collective,
}

/// The property by which `progress` breaks the engine's figures down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByEngine {
    Rank,
    Component,
    Function,
    Site,
}

/// The property by which `imbalance` breaks the time down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByPlace {
    Function,
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
            "host" => Breakdown::Host,
            "region" => Breakdown::Region,
            "collective" => Breakdown::Collective,
            _ => match text.strip_prefix("rank=").map(str::parse) {
                Some(Ok(rank)) => Breakdown::OneRank(rank),
                _ => {
                    let names = "function, rank, rank=N, comm, site, size, peer, thread, host, region, collective";
                    return Err(format!("it is one of {names}"));
                }
            },
        })
    }
}
