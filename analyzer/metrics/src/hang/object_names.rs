//! Names of communicators, windows and files: one for all ranks, and the one that other analyses give the first of them.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::SeenRun;
use super::rank_names::names;
use crate::words::{self, call_on, kind_in_words};
use model::Run;
use model::standing::Standing;
use traces::signature::Signature;

/// The objects by the first rank's own number, worked out once they are asked for.
#[derive(Default)]
pub struct ObjectNumbers(OnceCell<HashMap<u32, NumberedObject>>);

struct NumberedObject {
    /// The number that its first rank has for it.
    own: u32,
    kind: &'static str,
    /// Another object of that kind has the same number in its first rank.
    is_shared: bool,
}

impl ObjectNumbers {
    fn of(&self, run: &Run, standing: &Standing) -> &HashMap<u32, NumberedObject> {
        self.0.get_or_init(|| {
            let mut numbered: HashMap<u32, NumberedObject> = HashMap::new();
            let mut counts: HashMap<(&str, u32), u32> = HashMap::new();
            for (at, rank) in run.ranks.iter().enumerate() {
                for (own, number) in standing.objects.numbers(at) {
                    let group = &standing.objects.groups[number as usize];
                    if !group.name.is_empty() || numbered.contains_key(&number) {
                        continue;
                    }
                    let kind = rank.objects.get(&own).map_or("communicator", |object| kind_in_words(object.kind));
                    *counts.entry((kind, own)).or_default() += 1;
                    numbered.insert(number, NumberedObject { own, kind, is_shared: false });
                }
            }
            for object in numbered.values_mut() {
                object.is_shared = counts[&(object.kind, object.own)] > 1;
            }
            numbered
        })
    }
}

/// A call of a rank, with the run's name for its object: ranks number their objects each on its own.
pub fn call_in_words(seen: &SeenRun<'_>, at: usize, call: &Signature) -> String {
    call_on(seen.run, &seen.run.ranks[at], call, object_of(seen, at, call))
}

/// The run's name for the object of a rank's call; the rank's own name if the run has none.
pub fn object_of(seen: &SeenRun<'_>, at: usize, call: &Signature) -> String {
    match seen.standing.objects.number(at, call.object) {
        Some(object) => communicator(seen, object),
        None => words::object(&seen.run.ranks[at], call).0,
    }
}

/// The name of a communicator, window or file. If it has none, its number in the first of its ranks, and these if another
/// object has that number in its first rank.
pub fn communicator(seen: &SeenRun<'_>, object: u32) -> String {
    let group = &seen.standing.objects.groups[object as usize];
    if !group.name.is_empty() {
        return group.name.clone();
    }
    match seen.object_numbers.of(seen.run, seen.standing).get(&object) {
        Some(NumberedObject { own, kind, is_shared: false }) => format!("{kind} {own}"),
        Some(NumberedObject { own, kind, .. }) => {
            let ranks: Vec<usize> = group.everybody().map(|rank| rank as usize).collect();
            format!("{kind} {own} of {}", names(seen.run, &ranks))
        }
        None => format!("object {object}"),
    }
}
