//! Suggests names for one that does not exist.

use std::collections::BTreeSet;

/// The name that is spelled most like `asked`, and its edit distance.
pub fn nearest<'a>(asked: &str, names: impl Iterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    names.map(|name| (strsim::levenshtein(name, asked), name)).min_by_key(|(letters, _)| *letters)
}

/// The name that is spelled most like `asked`, if less than half of the letters differ.
pub fn near<'a>(asked: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    nearest(asked, names).filter(|(letters, _)| 2 * letters < asked.len()).map(|(_, name)| name)
}

/// The name that begins with `asked`, the shortest of several, or else one spelled like it.
fn meant<'a>(asked: &str, names: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let begun = names.clone().filter(|name| asked.len() > 1 && name.starts_with(asked)).min_by_key(|name| name.len());
    begun.or_else(|| near(asked, names))
}

/// A sentence with the name that may be meant and the names that exist; `none` if there are none.
pub fn instead(asked: &str, names: &BTreeSet<String>, none: &str) -> String {
    if names.is_empty() {
        return none.into();
    }
    let all = names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if names.len() > NAMES { format!(" and {} more", names.len() - NAMES) } else { String::new() };
    match meant(asked, names.iter().map(String::as_str)) {
        Some(meant) => format!("The nearest one is {meant}; there are {all}{more}."),
        None => format!("There are {all}{more}."),
    }
}

/// The most names that the sentence lists.
const NAMES: usize = 50;
