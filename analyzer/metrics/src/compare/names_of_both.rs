//! One name in both versions for each call site, so that its figures stand beside each other.
//!
//! Sites have the names of B. One that B lacks has that of A with a mark, as its line may be another's in B.

use std::collections::HashMap;

use super::program_sites::ProgramSite;
use super::site_pairs::SitePairs;
use model::roles::CallSite;

/// The names that the sites of one version have in a comparison, where they are others.
#[derive(Default)]
pub struct ComparedNames {
    /// By a site's name and function of MPI.
    names: HashMap<(String, String), (String, String)>,
    calls: HashMap<CallSite, CallSite>,
    /// By a site in short.
    places: HashMap<String, String>,
}

impl ComparedNames {
    /// The names for A, and for B.
    pub fn of(pairs: &SitePairs) -> [ComparedNames; 2] {
        let [mut of_a, mut of_b] = [ComparedNames::default(), ComparedNames::default()];
        let has_edits = pairs.has_edits();
        // Several sites may lie on one line: that with the most calls names it last.
        let mut order: Vec<_> = pairs.pairs.iter().collect();
        order.sort_by_key(|pair| pair.a.map(|at| pairs.a[at].calls));
        for pair in order {
            match (pair.a.map(|at| &pairs.a[at]), pair.b.map(|at| &pairs.b[at])) {
                (Some(a), Some(b)) => {
                    let function = match a.call.function == b.call.function {
                        true => b.call.function.clone(),
                        false => format!("{} for {}", b.call.function, a.call.function),
                    };
                    of_a.rename(a, b.name.clone(), function.clone(), b.call.clone());
                    of_b.rename(b, b.name.clone(), function, b.call.clone());
                }
                (Some(a), None) if has_edits => {
                    let site = format!("{} of A", a.call.site);
                    let name = match a.name.rsplit_once(&format!("({})", a.call.site)) {
                        Some((function, rest)) => format!("{function}({site}){rest}"),
                        None => format!("{} of A", a.name),
                    };
                    let call = CallSite { function: a.call.function.clone(), site };
                    of_a.rename(a, name, a.call.function.clone(), call);
                }
                _ => {}
            }
        }
        [of_a, of_b]
    }

    fn rename(&mut self, site: &ProgramSite, name: String, function: String, call: CallSite) {
        self.places.insert(site.call.site.clone(), call.site.clone());
        self.calls.insert(site.call.clone(), call);
        self.names.insert((site.name.clone(), site.call.function.clone()), (name, function));
    }

    /// The name of a site, and the function of MPI that it calls.
    pub fn site(&self, name: &str, function: &str) -> Option<(String, String)> {
        self.names.get(&(name.into(), function.into())).cloned()
    }

    pub fn call(&self, call: &CallSite) -> CallSite {
        self.calls.get(call).unwrap_or(call).clone()
    }

    pub fn place(&self, place: &str) -> String {
        self.places.get(place).map_or_else(|| place.into(), Clone::clone)
    }
}
