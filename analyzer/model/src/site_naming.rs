//! Names of call sites in tables.

use tables::Named;

/// The place by which tables name a call.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum NamedBy {
    /// The place where the program calls MPI.
    #[default]
    Site,
    /// The first place outside the program's communication layer.
    Caller,
    /// All functions on the way to the call.
    Path,
}

impl Named for NamedBy {
    const NAMES: &'static [(&'static str, &'static str, NamedBy)] = &[
        ("site", "Place in the program", NamedBy::Site),
        ("caller", "First place outside the program's communication layer", NamedBy::Caller),
        ("path", "All functions on the way to the call", NamedBy::Path),
    ];
}

/// The user's choice of names.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SiteNaming {
    pub by: NamedBy,
    /// Patterns of the communication layer's functions; empty if the layer is to be found.
    pub layers: Vec<String>,
    /// True if the command made the choice, not the user.
    pub is_default: bool,
    /// Functions are named without parameters and template arguments where the rest tells them apart.
    pub is_short: bool,
}

impl SiteNaming {
    /// Names for conclusions: the caller of the communication layer is the cause, and the place to change. Where the layer's function stands
    /// in its caller's file, both lines are.
    pub fn for_conclusions(layers: Vec<String>) -> SiteNaming {
        SiteNaming { by: NamedBy::Caller, layers, is_default: true, is_short: false }
    }

    /// True if names have the line that calls MPI besides that of its caller. A layer that the user named is left out.
    pub fn tells_both(&self) -> bool {
        self.is_default && self.layers.is_empty()
    }
}

/// True if a function's name has the pattern's form: `*` stands for any letters, `?` for one.
pub fn has_form(name: &str, pattern: &str) -> bool {
    let (name, pattern): (Vec<char>, Vec<char>) = (name.chars().collect(), pattern.chars().collect());
    let (mut at, mut of, mut star) = (0, 0, None);
    while at < name.len() {
        match pattern.get(of) {
            Some('*') => {
                star = Some((of, at));
                of += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[at] => (at, of) = (at + 1, of + 1),
            _ => {
                let Some((behind, from)) = star else { return false };
                star = Some((behind, from + 1));
                (of, at) = (behind + 1, from + 1);
            }
        }
    }
    pattern[of..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_letters() {
        for (name, pattern, has) in [
            ("comm_sum", "comm_*", true),
            ("comm_sum", "*_sum", true),
            ("comm_sum", "c*_s?m", true),
            ("comm_sum", "comm", false),
            ("my_comm_sum", "comm_*", false),
            ("comm_", "comm_*", true),
            ("", "*", true),
            ("aXbXc", "a*X*c", true),
            ("aXbXd", "a*X*c", false),
        ] {
            assert_eq!(has_form(name, pattern), has, "{name} {pattern}");
        }
    }
}
