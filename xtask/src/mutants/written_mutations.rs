//! Writes mutations beside the original code, each behind a condition evaluated at run time.

use std::cmp::Reverse;
use std::ops::Range;

use super::places::{Edit, Mutation};

/// A file with some of its mutations in it.
pub struct Written {
    pub text: String,
    /// Number of each mutation, its place in the new text, and the place of its own words.
    pub places: Vec<(usize, Range<usize>, Range<usize>)>,
}

/// Writes the numbered mutations into a text, nested if their ranges are. `crate::planted(7)` tells whether mutation 7
/// is selected; since only one is at a time, a mutated copy holds the original of others.
pub fn written(text: &str, mutations: &[(usize, &Mutation)]) -> Written {
    let mut order: Vec<&(usize, &Mutation)> = mutations.iter().collect();
    order.sort_by_key(|(number, mutation)| (mutation.range.start, Reverse(mutation.range.end), *number));
    let mut new = Writer { text, new: String::new(), done: 0, open: Vec::new(), places: Vec::new() };
    for (number, mutation) in order {
        new.close_until(mutation.range.start);
        new.copy(mutation.range.start);
        let begin = new.new.len();
        let (before, after) = around(*number, &mutation.edit);
        new.new.push_str(&before);
        let own = begin..new.new.len();
        if mutation.range.is_empty() {
            new.places.push((*number, own.clone(), own));
        } else {
            new.open.push(Open { number: *number, end: mutation.range.end, after, own });
        }
    }
    new.close_until(usize::MAX);
    new.copy(text.len());
    Written { text: new.new, places: new.places }
}

/// Text before and behind the original.
fn around(number: usize, edit: &Edit) -> (String, &'static str) {
    match edit {
        Edit::Instead(other) => (format!("(if crate::planted({number}) {{ {other} }} else {{ "), " })"),
        Edit::Return(value) => (format!(" if crate::planted({number}) {{ return {value}; }}"), ""),
        Edit::Skipped => (format!("if !crate::planted({number}) {{ "), " }"),
        Edit::Arm => (format!(" if !crate::planted({number})"), ""),
    }
}

struct Open {
    number: usize,
    end: usize,
    after: &'static str,
    own: Range<usize>,
}

struct Writer<'t> {
    text: &'t str,
    new: String,
    done: usize,
    open: Vec<Open>,
    places: Vec<(usize, Range<usize>, Range<usize>)>,
}

impl Writer<'_> {
    fn copy(&mut self, until: usize) {
        self.new.push_str(&self.text[self.done..until]);
        self.done = until;
    }

    /// Closes the mutations that end before the next one begins.
    fn close_until(&mut self, next: usize) {
        while let Some(Open { number, end, after, own }) = self.open.pop_if(|open| open.end <= next) {
            self.copy(end);
            self.new.push_str(after);
            self.places.push((number, own.start..self.new.len(), own));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::places;
    use super::*;

    #[test]
    fn each_mutation_stands_beside_the_original_and_inside_others() {
        let text = "fn f(a: u32) -> bool { a + 1 < 2 }";
        let found = places::of(text).unwrap();
        let wanted = ["return true from f", "> instead of < in a + 1 < 2", "- instead of + in a + 1"];
        let chosen: Vec<(usize, &Mutation)> = wanted
            .iter()
            .enumerate()
            .map(|(at, title)| (at, found.iter().find(|m| m.title == *title).unwrap()))
            .collect();
        let new = written(text, &chosen);
        let expected = "fn f(a: u32) -> bool { if crate::planted(0) { return true; } \
            (if crate::planted(1) { (a + 1) > (2) } else { \
            (if crate::planted(2) { (a) - (1) } else { a + 1 }) < 2 }) }";
        assert_eq!(new.text, expected);
        assert!(syn::parse_file(&new.text).is_ok());
        assert_eq!(new.places.len(), 3);
    }
}
