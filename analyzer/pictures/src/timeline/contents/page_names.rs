//! Numbered lists that a page's calls refer to: functions, call sites, communicators.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use traces::calls::ArgumentKind::{StartRequest, StartRequests};
use traces::calls::Call;
use traces::signature::{CREATES, Signature};

use crate::timeline::{CallKind, KindRecord, PageFunction, PagePlace, known};
use metrics::words::{object, peer_role};
use metrics::{pop, rank_time};
use model::Run;
use model::levels::TimeClass;
use model::rank::function_of;
use model::sites::CallTree;

#[derive(Default)]
pub struct Names {
    pub functions: Vec<PageFunction>,
    /// Number of each function, by its number in the trace.
    pub function_of: FxHashMap<u16, u32>,
    /// Short names of call sites, by number.
    pub sites: Vec<String>,
    /// Functions around them, with all parameters.
    pub around: Vec<String>,
    /// Names of call sites in reports, by number.
    pub site_names: Vec<String>,
    /// By name and the path to it.
    site_numbers: FxHashMap<(String, Option<u32>), u32>,
    /// By site and function: the path of its calls, empty without paths.
    pub paths: Vec<BTreeMap<u32, u32>>,
    /// The caller of each path.
    pub callers: Vec<Option<u32>>,
    /// The functions on paths.
    pub tree: CallTree,
    /// Number of each site, by rank and its number in the rank's trace.
    site_of: FxHashMap<(u32, u32), u32>,
    /// Communicators, windows and files.
    pub objects: Vec<String>,
    object_numbers: FxHashMap<String, u32>,
    object_of: FxHashMap<(u32, u32), u32>,
}

impl Names {
    /// Collects the names that the selected ranks use.
    pub fn of(run: &Run) -> Names {
        let mut names = Names::default();
        let has_paths = run.asked().any(|rank| !rank.callers.is_empty());
        let tree = if has_paths { CallTree::of(&run.sites, &run.ranks) } else { CallTree::default() };
        names.callers = tree.nodes.iter().map(|node| node.parent).collect();
        for (at, rank) in run.asked_places() {
            for thread in &rank.contents().threads {
                let open = thread.tail.calls.iter().map(|call| &call.signature);
                for signature in thread.signatures.iter().chain(open) {
                    names.function(signature.call);
                    let key = (at as u32, signature.site);
                    if !names.site_of.contains_key(&key) {
                        let path = tree.place(at, signature.site).and_then(|place| place.node);
                        let number = names.site((run.sites.name(rank, signature.site), path));
                        if names.sites.len() < names.site_names.len() {
                            names.sites.push(run.sites.place(rank, signature.site));
                            names.around.push(run.sites.source(rank, signature.site).function().into());
                        }
                        names.site_of.insert(key, number);
                    }
                    if let Some(path) = tree.call(at, signature.call, signature.site) {
                        let site = names.site_of[&key] as usize;
                        names.paths.resize_with(names.paths.len().max(site + 1), BTreeMap::new);
                        names.paths[site].insert(names.function_of[&signature.call], path);
                    }
                    let key = (at as u32, signature.object);
                    if !names.object_of.contains_key(&key) {
                        let number = number(&mut names.objects, &mut names.object_numbers, object(rank, signature).0);
                        names.object_of.insert(key, number);
                    }
                }
            }
        }
        names.tree = tree;
        names
    }

    /// Common properties of a signature's calls.
    pub fn kind(&self, rank: usize, signature: &Signature) -> CallKind {
        let of = |map: &FxHashMap<(u32, u32), u32>, key| map.get(&(rank as u32, key)).copied().unwrap_or(0).into();
        let starts =
            Call::from_number(signature.call).is_some_and(|call| call.has(StartRequest) || call.has(StartRequests));
        let creates = signature.flags & CREATES != 0;
        // A persistent request moves its bytes when it is started; the start does not say how many.
        let moves = (!starts).then(|| if creates { (0, 0) } else { signature.moves() });
        let (sent, received) = (known(signature.sent), known(signature.received));
        let record = KindRecord {
            function: self.function_of.get(&signature.call).copied().unwrap_or(0).into(),
            site: of(&self.site_of, signature.site),
            object: of(&self.object_of, signature.object),
            peer: signature.peer.into(),
            tag: signature.tag.into(),
            source: signature.source.into(),
            source_tag: signature.source_tag.into(),
            sent,
            received,
            size: sent.max(received).and_then(u64::checked_ilog2).map_or(0, |power| u64::from(power) + 1),
            bytes: moves.map(|(sent, posted)| sent.saturating_add(posted)),
        };
        CallKind { record, moves }
    }

    /// Number of a site, added if it is new.
    fn site(&mut self, key: (String, Option<u32>)) -> u32 {
        let names = &mut self.site_names;
        *self.site_numbers.entry(key).or_insert_with_key(|(name, _)| {
            names.push(name.clone());
            names.len() as u32 - 1
        })
    }

    fn function(&mut self, call: u16) {
        let functions = &mut self.functions;
        self.function_of.entry(call).or_insert_with(|| {
            let name = function_of(call);
            let known = Call::from_number(call);
            let peer = known.map_or("peer", peer_role);
            functions.push(PageFunction {
                name,
                class: TimeClass::of(call) as usize,
                peer,
                part: rank_time::part_key(call),
                edge: pop::is_edge(call),
            });
            functions.len() as u32 - 1
        });
    }
}

/// Number of a name, added if it is new.
fn number(list: &mut Vec<String>, numbers: &mut FxHashMap<String, u32>, name: String) -> u32 {
    *numbers.entry(name).or_insert_with_key(|name| {
        list.push(name.clone());
        list.len() as u32 - 1
    })
}

/// The run's call sites, by number.
pub fn call_sites(run: &Run) -> Vec<PagePlace> {
    let places = run.call_sites().iter();
    places.map(|place| PagePlace { function: place.function.clone(), site: place.site.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use metrics::words::object;
    use model::Choice;

    #[test]
    fn each_signature_leads_to_its_own_function_call_site_and_object() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/samples/integer_sort-openmpi");
        let run = Run::select(&folder, &Choice { no_cache: true, ..Choice::default() }).unwrap();
        let names = Names::of(&run);
        let mut sites = std::collections::BTreeSet::new();
        for (at, rank) in run.ranks.iter().enumerate() {
            for signature in rank.entries().map(|entry| entry.signature) {
                let kind = names.kind(at, &signature);
                assert_eq!(names.functions[kind.record.function as usize].name, function_of(signature.call));
                assert_eq!(names.sites[kind.record.site as usize], run.sites.place(rank, signature.site));
                assert_eq!(names.objects[kind.record.object as usize], object(rank, &signature).0);
                sites.insert(kind.record.site);
            }
        }
        assert!(sites.len() > 5, "{sites:?}");
    }
}
