//! Call sites that tables show as one: a place that is called by several paths has a number for each path.

use std::collections::HashMap;

use traces::read::ThreadPages;
use traces::signature::Signature;

use super::Sites;
use crate::rank::Rank;

/// First number of each place with several numbers. Other numbers are missing.
#[derive(Default)]
pub struct AlikeSites(HashMap<u32, u32>);

impl Sites {
    /// The sites of a rank that have one name in tables.
    pub fn alike(&self, rank: &Rank) -> AlikeSites {
        if rank.callers.is_empty() {
            return AlikeSites::default();
        }
        let mut numbers: Vec<u32> = rank.sites.keys().chain(rank.places.keys()).copied().collect();
        numbers.sort_unstable();
        let mut first = HashMap::new();
        let mut alike = AlikeSites::default();
        for site in numbers {
            alike.0.insert(site, *first.entry(self.identity(rank, site)).or_insert(site));
        }
        alike
    }
}

impl AlikeSites {
    pub fn first(&self, site: u32) -> u32 {
        self.0.get(&site).copied().unwrap_or(site)
    }

    /// A signature at the first of the sites.
    pub fn signature(&self, signature: &Signature) -> Signature {
        Signature { site: self.first(signature.site), ..*signature }
    }

    /// For each number in a thread's records, the first number with the same meaning.
    pub fn numbers(&self, thread: &ThreadPages<'_>) -> Vec<u32> {
        let mut first = HashMap::new();
        let same = |signature: &Signature, at_once: bool| {
            let number = signature.number + u32::from(at_once);
            let of = Signature { number: 0, address: 0, ..self.signature(signature) };
            *first.entry((of, at_once)).or_insert(number)
        };
        thread.signatures.by_number(u32::MAX, same)
    }
}
