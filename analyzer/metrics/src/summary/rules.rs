//! The rules: of each kind of finding what it is about, its cure, the program that shows it, and the limits at which it is told.
//!
//! `overhear explain` and the guide's page of rules print them, and `cargo lab sensitivity` tries each limit at half, at twice and taken out.

use super::kinds::{FindingKind, rules};
use super::limits::Limit;

/// A rule, for its readers.
pub struct RuleSpec {
    pub kind: FindingKind,
    /// The cure in general; each finding has its own words.
    pub cure: &'static str,
    /// The planted program that shows it, in examples/programs/diagnosis, if one does.
    pub example: Option<&'static str>,
    /// The limits of its files.
    pub limits: &'static [Limits],
}

type Limits = &'static [&'static Limit];

macro_rules! example {
    (none) => {
        None
    };
    ($name:literal) => {
        Some($name)
    };
}

macro_rules! specs {
    ($($(#[doc = $meaning:literal])+ $kind:ident $key:literal $about:ident, shown by $example:tt, limits [$($file:ident)*], $cure:literal;)*) => {
        pub static RULES: &[RuleSpec] = &[$(RuleSpec {
            kind: FindingKind::$kind,
            cure: $cure,
            example: example!($example),
            limits: &[$(super::$file::LIMITS),*],
        }),*];
    };
}

rules!(specs);

/// Limits of all rules together.
pub static SHARED: &[Limits] = &[super::LIMITS, super::finding::LIMITS, super::used_sites::LIMITS];

/// Every limit, each once.
pub fn limits() -> impl Iterator<Item = &'static Limit> {
    let of_rules = RULES.iter().flat_map(|rule| rule.limits);
    SHARED.iter().chain(of_rules).flat_map(|limits| limits.iter().copied())
}

/// The rule with this key.
pub fn rule_named(key: &str) -> Option<&'static RuleSpec> {
    RULES.iter().find(|rule| rule.kind.key() == key)
}

impl Limit {
    /// `LEAST_ROW, at least 4 calls`.
    pub fn in_words(&self) -> String {
        format!("{}, {} {} {}", self.name, self.side.name(), self.value(), self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_has_a_reason() {
        for limit in limits() {
            assert!(limit.reason.len() > 20 && limit.reason.trim_end().ends_with('.'), "{}", limit.name);
        }
    }
}
