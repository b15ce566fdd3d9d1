//! Changes as users ask for them, by names.
//!
//! In: names of ranks, call sites and hosts, with factors. Out: [`RunChange`]s in the numbers of the run, or an error with the names that
//! there are.

use std::collections::BTreeSet;

use model::Run;
use model::error::Error;
use model::matching::scenario::{LatencyChange, RunChange};
use model::ranks::Ranks;
use model::sites::CallSite;
use model::what_if::Replayable;
use tables::suggest::instead;
use traces::calls::Call;

/// A change as it is asked for.
#[derive(Clone, PartialEq, Debug)]
pub enum AskedChange {
    Ranks(Ranks, f64),
    /// Calls at a site: `MPI_Barrier@solver.c:88`, a function or a line alone.
    Calls(String, f64),
    Before(String, f64),
    After(String, f64),
    Balance,
    OnCore,
    Latency(NetworkChange),
    Bandwidth(f64),
    Eager(u64),
    Without(String),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum NetworkChange {
    /// Nanoseconds.
    More(i64),
    Times(f64),
}

impl AskedChange {
    /// The change as a user types it.
    pub fn typed(&self) -> String {
        match self {
            AskedChange::Ranks(ranks, factor) => format!("--rank {ranks}={factor}"),
            AskedChange::Calls(site, factor) => format!("--site {site}={factor}"),
            AskedChange::Before(site, factor) => format!("--before {site}={factor}"),
            AskedChange::After(site, factor) => format!("--after {site}={factor}"),
            AskedChange::Balance => "--balance".into(),
            AskedChange::OnCore => "--no-off-core".into(),
            AskedChange::Latency(NetworkChange::More(more)) => {
                format!("--latency {}{}us", if *more < 0 { "" } else { "+" }, *more as f64 / 1e3)
            }
            AskedChange::Latency(NetworkChange::Times(factor)) => format!("--latency {}", times(*factor)),
            AskedChange::Bandwidth(factor) => format!("--bandwidth {}", times(*factor)),
            AskedChange::Eager(bytes) => format!("--eager {bytes}"),
            AskedChange::Without(site) => format!("--without {site}"),
        }
    }

    /// The change in the numbers of a run; `between`: the hosts whose messages a change of the network is for.
    pub fn of(&self, run: &Run, replayable: &Replayable, between: Option<&[String]>) -> Result<RunChange, Error> {
        let sites = |name: &str| sites(name, run.call_sites());
        let between = || hosts(between, &replayable.hosts);
        Ok(match self {
            AskedChange::Ranks(ranks, factor) => RunChange::Ranks(places(ranks, run)?, *factor),
            AskedChange::Calls(site, factor) => RunChange::Calls(sites(site)?, *factor),
            AskedChange::Before(site, factor) => RunChange::Before(sites(site)?, *factor),
            AskedChange::After(site, factor) => RunChange::After(sites(site)?, *factor),
            AskedChange::Balance => RunChange::Balance,
            AskedChange::OnCore if replayable.core_lacks.iter().all(Vec::is_empty) => {
                return Err(Error::Setting(
                    "--no-off-core: this run does not tell for how long its ranks lacked a core: the system counted no delays, or only a part \
                     of the run is read"
                        .into(),
                ));
            }
            AskedChange::OnCore => RunChange::OnCore,
            AskedChange::Latency(NetworkChange::More(more)) => {
                RunChange::Latency(LatencyChange::More(*more), between()?)
            }
            AskedChange::Latency(NetworkChange::Times(factor)) => {
                let between = between()?;
                if !replayable.network.shows().0 {
                    return Err(unknown("latency", "no receive waited for its message", "--latency +20us"));
                }
                RunChange::Latency(LatencyChange::Times(*factor), between)
            }
            AskedChange::Bandwidth(factor) => {
                let between = between()?;
                if !replayable.network.shows().1 {
                    let why = "no receives waited for messages of which the longer ones took longer";
                    return Err(unknown("bandwidth", why, "--latency +20us"));
                }
                RunChange::Bandwidth(*factor, between)
            }
            AskedChange::Eager(bytes) => RunChange::Eager(*bytes),
            AskedChange::Without(site) => RunChange::Without(sites(site)?),
        })
    }
}

fn times(factor: f64) -> String {
    if factor >= 1.0 { format!("x{factor}") } else { format!("/{}", 1.0 / factor) }
}

fn unknown(what: &str, why: &str, instead: &str) -> Error {
    Error::Setting(format!("the {what} is not known: in this run {why}. Ask for a time that is added: {instead}"))
}

/// Places of ranks in the run.
fn places(ranks: &Ranks, run: &Run) -> Result<Vec<u32>, Error> {
    if ranks.last() >= run.size() {
        return Err(Error::NoRank { rank: ranks.last(), size: run.size() });
    }
    let is_meant = |place: &usize| run.ranks[*place].number().is_some_and(|number| ranks.contain(number));
    let places: Vec<u32> = (0..run.ranks.len()).filter(is_meant).map(|place| place as u32).collect();
    match places.is_empty() {
        true => Err(Error::Setting(format!("--rank {ranks}: these ranks have no files in the run's folder"))),
        false => Ok(places),
    }
}

/// A call site as users name it.
fn name(site: &CallSite) -> String {
    if site.site.is_empty() { site.function.clone() } else { format!("{}@{}", site.function, site.site) }
}

/// Numbers of the call sites of a name: function and line, or one of them.
fn sites(asked: &str, all: &[CallSite]) -> Result<Vec<u32>, Error> {
    let (function, line) = match asked.split_once('@') {
        Some((function, line)) => (Some(function), Some(line)),
        None if all.iter().any(|site| site.function == asked) => (Some(asked), None),
        None => (None, Some(asked)),
    };
    let is_line = |site: &str, line: &str| site == line || site.rsplit('/').next().is_some_and(|end| end == line);
    let is_meant = |site: &CallSite| {
        is_movable(site)
            && function.is_none_or(|function| site.function == function)
            && line.is_none_or(|line| is_line(&site.site, line))
    };
    let numbers: Vec<u32> = (0..).zip(all).filter(|(_, site)| is_meant(site)).map(|(number, _)| number).collect();
    if numbers.is_empty() {
        let names: BTreeSet<String> = all.iter().filter(|site| is_movable(site)).map(name).collect();
        let instead = instead(asked, &names, "The run has no calls.");
        return Err(Error::Setting(format!("no call site is called {asked}. {instead}")));
    }
    Ok(numbers)
}

/// True for calls that belong to the run's time: starting and ending MPI does not.
fn is_movable(site: &CallSite) -> bool {
    site.call().is_some_and(|call| ![Call::Init, Call::Init_thread, Call::Finalize].contains(&call))
}

fn hosts(asked: Option<&[String]>, all: &[String]) -> Result<Option<(u32, u32)>, Error> {
    let Some([one, other]) = asked else { return Ok(None) };
    let number = |host: &String| {
        let names: BTreeSet<String> = all.iter().cloned().collect();
        let place = all.iter().position(|other| other == host);
        place.map(|place| place as u32).ok_or_else(|| {
            let instead = instead(host, &names, "The run's files name no host.");
            Error::Setting(format!("--between: no host is called {host}. {instead}"))
        })
    };
    Ok(Some((number(one)?, number(other)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<CallSite> {
        let site = |function: &str, site: &str| CallSite { function: function.into(), site: site.into() };
        vec![
            site("MPI_Init", "a.c:1"),
            site("MPI_Send", "src/a.c:10"),
            site("MPI_Recv", "src/a.c:10"),
            site("MPI_Send", "b.c:20"),
        ]
    }

    #[test]
    fn a_site_is_named_by_function_and_line_or_by_one_of_them() {
        let found = |asked| sites(asked, &all()).unwrap();
        assert_eq!(found("MPI_Send@src/a.c:10"), [1]);
        assert_eq!(found("MPI_Send@a.c:10"), [1]);
        assert_eq!(found("a.c:10"), [1, 2]);
        assert_eq!(found("MPI_Send"), [1, 3]);
    }

    #[test]
    fn a_name_of_no_site_is_answered_by_the_names_of_all() {
        let error = sites("MPI_Send@a.c:11", &all()).unwrap_err().to_string();
        assert!(error.starts_with("no call site is called MPI_Send@a.c:11."), "{error}");
        assert!(error.contains("MPI_Recv@src/a.c:10") && !error.contains("MPI_Init"), "{error}");
    }

    #[test]
    fn changes_read_as_they_were_typed() {
        let of_network = [NetworkChange::More(20_000), NetworkChange::More(-500), NetworkChange::Times(0.5)];
        let typed: Vec<String> = of_network.map(|change| AskedChange::Latency(change).typed()).into();
        assert_eq!(typed, ["--latency +20us", "--latency -0.5us", "--latency /2"]);
        assert_eq!(AskedChange::Ranks("0-3".parse().unwrap(), 0.8).typed(), "--rank 0-3=0.8");
    }
}
