//! What the words of reports mean: columns and facts by their keys, wait states, and metrics. `overhear explain` prints it, and the JSON
//! schemas carry it.

mod columns;
mod facts;
mod metrics;
mod wait_states;

/// What is to be known of a wait state or a metric.
pub struct Topic {
    /// Its name in reports.
    pub name: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// How it is computed.
    pub formula: &'static str,
    /// Who defined it.
    pub source: &'static str,
    /// What people do about it.
    pub advice: &'static str,
}

/// What a column of a table means, or a fact, which stands in `run`.
pub fn of_column(table: &str, key: &str) -> Option<&'static str> {
    let anywhere =
        || columns::ANYWHERE.iter().chain(columns::REQUESTS).chain(facts::FACTS).find(|(name, _)| *name == key);
    let world = || key.ends_with("world").then_some(WORLD);
    columns::of_table(table, key).or_else(|| Some(anywhere()?.1)).or_else(world)
}

/// Of every rank there is one.
const WORLD: &str = "The world of that rank: 0 is the one that the launcher started, higher ones were spawned.";

/// Wait states and metrics.
pub fn topics() -> impl Iterator<Item = &'static Topic> {
    wait_states::ALL.iter().chain(metrics::ALL)
}
