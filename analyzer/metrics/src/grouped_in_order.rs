//! Groups in the order in which their keys first appear.

use std::hash::Hash;

use rustc_hash::FxHashMap;

pub fn grouped_in_order<K: Clone + Eq + Hash, T>(all: impl Iterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    let mut known: FxHashMap<K, usize> = FxHashMap::default();
    for (key, one) in all {
        let at = *known.entry(key.clone()).or_insert(groups.len());
        if at == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[at].1.push(one);
    }
    groups
}
