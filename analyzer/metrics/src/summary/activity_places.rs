//! The place of an activity, in words and as call sites.

use crate::words::site_in_words;
use model::origins::Activity;
use model::roles::CallSite;

/// `between MPI_Gather at p.c:3 and MPI_Bcast at p.c:6`.
pub fn in_words(activity: Activity, sites: &[CallSite]) -> String {
    let site = |number: u32| site_in_words(&sites[number as usize]);
    match activity {
        Activity::Between(from, to) if from == to => format!("between two calls of {}", site(from)),
        Activity::Between(from, to) => format!("between {} and {}", site(from), site(to)),
        Activity::In(at) => format!("in {}", site(at)),
    }
}

/// The lines that name the activity, the later one first: the others wait for that one.
pub fn lines(activity: Activity, sites: &[CallSite]) -> impl Iterator<Item = String> {
    let (last, first) = match activity {
        Activity::Between(from, to) => (to, Some(from).filter(|from| *from != to)),
        Activity::In(site) => (site, None),
    };
    [Some(last), first].into_iter().flatten().filter_map(|number| sites[number as usize].line())
}
