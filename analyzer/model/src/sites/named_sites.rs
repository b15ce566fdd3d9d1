//! Names call sites by their callers or paths, if the user asks for it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::call_tree::{CallNode, CallPlace, CallTree};
use super::layers::Layers;
use super::place_in_source::{PlaceInSource, file_and_line, with_caller};
use super::{Sites, short_function};
use crate::rank::Rank;
use crate::site_naming::{NamedBy, SiteNaming};

/// World, rank and process.
type RankKey = (u32, u32, u32);

/// Names of call sites by their callers or paths.
#[derive(Default)]
pub struct NamedSites {
    /// Ranks share names: copies for many ranks would take gigabytes.
    names: HashMap<RankKey, HashMap<u32, Arc<SiteName>>>,
    /// The functions of the communication layer that are left out of the names.
    pub left_out: BTreeSet<String>,
}

/// A name and its short form.
pub struct SiteName {
    pub name: String,
    pub place: String,
    pub source: PlaceInSource,
}

impl NamedSites {
    /// Names the sites of ranks with paths.
    pub fn of(sites: &Sites, ranks: &[Rank], naming: &SiteNaming) -> NamedSites {
        let mut named = NamedSites::default();
        if naming.by == NamedBy::Site || ranks.iter().all(|rank| rank.callers.is_empty()) {
            return named;
        }
        let tree = CallTree::of(sites, ranks);
        let layers = Layers::of(&tree, &naming.layers);
        let tells_both = naming.tells_both();
        let mut names: HashMap<CallPlace, Arc<SiteName>> = HashMap::new();
        for (at, rank) in ranks.iter().enumerate().filter(|(_, rank)| !rank.callers.is_empty()) {
            let mut of_rank = HashMap::new();
            for site in rank.sites.keys().chain(rank.places.keys()) {
                let Some(place) = tree.place(at, *site).filter(|place| place.node.is_some()) else { continue };
                let name = names.entry(place.clone()).or_insert_with(|| match naming.by {
                    NamedBy::Path => Arc::new(path(&tree, place)),
                    _ => Arc::new(caller(sites, (&tree, &layers), place, tells_both, &mut named.left_out)),
                });
                of_rank.insert(*site, Arc::clone(name));
            }
            named.names.insert(key(rank), of_rank);
        }
        named
    }

    pub fn get(&self, rank: &Rank, site: u32) -> Option<&SiteName> {
        self.names.get(&key(rank))?.get(&site).map(Arc::as_ref)
    }
}

fn key(rank: &Rank) -> RankKey {
    (rank.header.world, rank.header.rank, rank.header.pid)
}

/// The path as `main:88 > solve:41 > comm_sum:12`.
fn path(tree: &CallTree, place: &CallPlace) -> SiteName {
    let mut parts = Vec::new();
    let mut source = PlaceInSource { file: file_and_line(&place.site).0.into(), ..PlaceInSource::default() };
    let mut site = &place.site;
    for node in tree.upwards(place.node) {
        let node = &tree.nodes[node as usize];
        parts.push(function_and_line(node, site));
        source.functions.push(node.function.clone());
        source.lines.push(file_and_line(site).1);
        site = &node.site;
    }
    parts.reverse();
    source.caller = source.functions.get(1).cloned().unwrap_or_default();
    source.functions.reverse();
    source.lines.reverse();
    let path = parts.join(" > ");
    SiteName { name: path.clone(), place: path, source }
}

fn function_and_line(node: &CallNode, site: &str) -> String {
    let function = short_function(&node.function);
    site.rsplit_once(':').map_or(function.clone(), |(_, line)| format!("{function}:{line}"))
}

/// Who calls the communication layer, and the layer's function that is called.
struct LayerCall<'a> {
    node: Option<u32>,
    site: &'a str,
    /// `None` if the place is in no layer.
    layer: Option<u32>,
}

/// The first place outside the communication layer. Adds the layer's functions to `skipped`.
fn layer_call<'a>(
    (tree, layers): (&'a CallTree, &Layers),
    place: &'a CallPlace,
    skipped: &mut BTreeSet<String>,
) -> LayerCall<'a> {
    let mut call = LayerCall { node: place.node, site: &place.site, layer: None };
    while let Some(inner) = call.node.filter(|inner| layers.holds(tree, *inner)) {
        let of_layer = &tree.nodes[inner as usize];
        // The library that runs threads is no place in the program.
        if of_layer.parent.is_none_or(|caller| tree.nodes[caller as usize].runs_threads) {
            break;
        }
        skipped.insert(short_function(&of_layer.function));
        call = LayerCall { node: of_layer.parent, site: &of_layer.site, layer: Some(inner) };
    }
    call
}

/// A place named like a call site, by the first function outside the communication layer. Conclusions name both lines where the layer's
/// function stands in its caller's file: it is a part of that code, and no library. Adds the layer's functions that the name leaves out to `left_out`.
fn caller(
    sites: &Sites,
    (tree, layers): (&CallTree, &Layers),
    place: &CallPlace,
    tells_both: bool,
    left_out: &mut BTreeSet<String>,
) -> SiteName {
    let mut skipped = BTreeSet::new();
    let call = layer_call((tree, layers), place, &mut skipped);
    let shown = |node: Option<u32>| node.map_or("", |node| sites.shown.get(&tree.nodes[node as usize].function));
    if tells_both && is_in_file_of_caller(tree, &call) && !place.site.is_empty() {
        let both = with_caller(&place.site, call.site);
        return SiteName { name: format!("{} at {both}", shown(place.node)), place: both, source: tree.source(place) };
    }
    left_out.extend(skipped);
    let (function, site) = (shown(call.node), call.site);
    let source = tree.source(&CallPlace { node: call.node, site: site.into() });
    match site.is_empty() {
        true => SiteName { name: function.into(), place: function.into(), source },
        false => SiteName { name: format!("{function} ({site})"), place: site.into(), source },
    }
}

fn is_in_file_of_caller(tree: &CallTree, call: &LayerCall<'_>) -> bool {
    let file = |node: Option<u32>| node.map_or("", |node| tree.nodes[node as usize].file.as_str());
    call.layer.is_some() && !call.site.is_empty() && !file(call.node).is_empty() && file(call.layer) == file(call.node)
}
