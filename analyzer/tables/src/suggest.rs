//! Suggests names for one that does not exist.

use std::collections::BTreeSet;

/// The name that is spelled most like `asked`, and its edit distance.
pub fn nearest<'a>(asked: &str, names: impl Iterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    names.map(|name| (strsim::levenshtein(name, asked), name)).min_by_key(|(letters, _)| *letters)
}

/// The name that begins with `asked`, the shortest of several, or else the nearest one.
fn meant<'a>(asked: &str, names: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let begun = names.clone().filter(|name| asked.len() > 1 && name.starts_with(asked)).min_by_key(|name| name.len());
    begun.or_else(|| nearest(asked, names).map(|(_, name)| name))
}

/// A sentence with the nearest name and the names that exist; `none` if there are none.
pub fn instead(asked: &str, names: &BTreeSet<String>, none: &str) -> String {
    let Some(nearest) = meant(asked, names.iter().map(String::as_str)) else { return none.into() };
    let all = names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if names.len() > NAMES { format!(" and {} more", names.len() - NAMES) } else { String::new() };
    format!("The nearest one is {nearest}; there are {all}{more}.")
}

/// The most names that the sentence lists.
const NAMES: usize = 50;
