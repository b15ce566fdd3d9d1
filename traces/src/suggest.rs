//! Suggests names for one that does not exist.

/// The name of `among` that is spelled like `word`, or else the list `all`, in words.
pub fn instead(word: &str, among: &[&str], all: &[&str]) -> String {
    let letters = |name: &&&str| strsim::levenshtein(word, name);
    match among.iter().min_by_key(letters).filter(|name| 2 * letters(name) < word.len()) {
        Some(near) => format!("the nearest one is {near}"),
        None => format!("there are {}", all.join(", ")),
    }
}
