//! Choices that the user makes by one of a few names.

/// A choice by name: each name with a word on what it is for, and what it chooses.
pub trait Named: Copy + 'static {
    const NAMES: &'static [(&'static str, &'static str, Self)];

    /// The choice of a name, or a sentence that lists the names.
    fn named(name: &str) -> Result<Self, String> {
        match Self::NAMES.iter().find(|(known, _, _)| *known == name) {
            Some((_, _, choice)) => Ok(*choice),
            None => {
                let names: Vec<&str> = Self::NAMES.iter().map(|(name, _, _)| *name).collect();
                Err(format!("it is one of {}", names.join(", ")))
            }
        }
    }
}
