//! Options that the user chooses by name.

/// A type whose values have names. Each entry has the name, a description, and the value.
pub trait Named: Copy + 'static {
    const NAMES: &'static [(&'static str, &'static str, Self)];

    /// The value with this name, or an error that lists the names.
    fn named(name: &str) -> Result<Self, String> {
        if let Some((_, _, choice)) = Self::NAMES.iter().find(|(known, _, _)| *known == name) {
            return Ok(*choice);
        }
        let names: Vec<&str> = Self::NAMES.iter().map(|(name, _, _)| *name).collect();
        Err(format!("it is one of {}", names.join(", ")))
    }
}
