//! The topics of `overhear explain`: what wait states and metrics mean, how they are computed, who defined them, and
//! what to do about them.

mod efficiencies;
mod wait_states;

pub struct Topic {
    pub name: &'static str,
    pub meaning: &'static str,
    /// The formula in words.
    pub formula: &'static str,
    /// The publication that defined it.
    pub source: &'static str,
    /// Advice on what to try.
    pub advice: &'static str,
}

/// All topics, wait states first.
pub fn topics() -> impl Iterator<Item = &'static Topic> {
    wait_states::ALL.iter().chain(efficiencies::ALL)
}
