//! Wait states and metrics by their names in reports: what they are, how they are computed, who defined them, and what people do about them.

mod efficiencies;
mod wait_states;

/// A wait state or a metric.
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

/// Wait states first, then metrics.
pub fn topics() -> impl Iterator<Item = &'static Topic> {
    wait_states::ALL.iter().chain(efficiencies::ALL)
}
