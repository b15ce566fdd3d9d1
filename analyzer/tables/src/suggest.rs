//! Names that could have been meant by one that does not exist.

use std::collections::BTreeSet;

/// Of several names the one that is spelt most like another, and in how many letters they differ.
pub fn nearest<'a>(asked: &str, names: impl Iterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    names.map(|name| (strsim::levenshtein(name, asked), name)).min_by_key(|(letters, _)| *letters)
}

/// What could have been meant by a name, and what there is.
pub fn instead(asked: &str, names: &BTreeSet<String>, none: &str) -> String {
    let Some((_, nearest)) = nearest(asked, names.iter().map(String::as_str)) else { return none.into() };
    let all = names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if names.len() > NAMES { format!(" and {} more", names.len() - NAMES) } else { String::new() };
    format!("The nearest one is {nearest}; there are {all}{more}.")
}

/// Names that a sentence has room for.
const NAMES: usize = 50;
