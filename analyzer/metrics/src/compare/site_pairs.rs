//! The call sites of two versions of a program, paired.

use std::collections::BTreeMap;

use super::program_sites::ProgramSite;
use model::sites::short_function;

/// The sites of both versions, paired.
pub struct SitePairs {
    pub a: Vec<ProgramSite>,
    pub b: Vec<ProgramSite>,
    pub pairs: Vec<SitePair>,
    /// Sites of A alone with those of B alone that stand in their place.
    pub instead: Vec<InsteadOf>,
}

/// Sites of A, and those of B in their place.
pub struct InsteadOf {
    pub a: Vec<usize>,
    pub b: Vec<usize>,
}

/// A site of A, of B, or of both.
#[derive(Clone, Copy, Debug)]
pub struct SitePair {
    pub a: Option<usize>,
    pub b: Option<usize>,
    pub found: PairFound,
}

/// The way a site was found in the other version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PairFound {
    OnlyB,
    OnlyA,
    OtherCall,
    OtherFunction,
    OtherFile,
    OtherLine,
    SamePlace,
}

impl PairFound {
    pub fn words(self) -> &'static str {
        match self {
            PairFound::OnlyB => "only B",
            PairFound::OnlyA => "only A",
            PairFound::OtherCall => "other call",
            PairFound::OtherFunction => "other function",
            PairFound::OtherFile => "other file",
            PairFound::OtherLine => "other line",
            PairFound::SamePlace => "same place",
        }
    }
}

impl SitePairs {
    /// The pairs that were found in this way, with both sites.
    pub fn found(&self, way: PairFound) -> impl Iterator<Item = (&ProgramSite, &ProgramSite)> {
        let found = self.pairs.iter().filter(move |pair| pair.found == way);
        found.filter_map(|pair| Some((&self.a[pair.a?], &self.b[pair.b?])))
    }

    /// Number of sites that one version lacks, or that make another call in the other.
    pub fn others(&self) -> usize {
        let is_other = |pair: &&SitePair| pair.found <= PairFound::OtherCall;
        self.pairs.iter().filter(is_other).count()
    }

    /// The sites of A that B lacks, in short.
    pub fn places_of_a(&self) -> impl Iterator<Item = &str> {
        let alone = self.pairs.iter().filter(|pair| pair.found == PairFound::OnlyA);
        alone.filter_map(|pair| Some(self.a[pair.a?].call.site.as_str()))
    }

    /// The sites that are in another function, by its name in A and in B.
    pub fn in_other_functions(&self) -> BTreeMap<(String, String), u64> {
        let mut functions: BTreeMap<(String, String), u64> = BTreeMap::new();
        for (a, b) in self.found(PairFound::OtherFunction) {
            *functions.entry((name(a), name(b))).or_default() += 1;
        }
        functions
    }

    /// Functions of A that B has by another name alone, with that.
    pub fn renamed_functions(&self) -> BTreeMap<String, String> {
        let has = |sites: &[ProgramSite], function: &str| sites.iter().any(|site| name(site) == function);
        let mut renamed = self.in_other_functions();
        renamed.retain(|(from, to), _| !has(&self.b, from) && !has(&self.a, to));
        let mut names: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
        for ((from, to), sites) in renamed {
            names.entry(from).or_default().push((sites, to));
        }
        let most = |mut all: Vec<(u64, String)>| {
            all.sort();
            all.pop().map(|(_, name)| name)
        };
        names.into_iter().filter_map(|(from, to)| Some((from, most(to)?))).collect()
    }

    /// True if a site of one version has another place in the other.
    pub fn has_edits(&self) -> bool {
        let is_edit =
            |pair: &SitePair| !matches!(pair.found, PairFound::SamePlace | PairFound::OnlyA | PairFound::OnlyB);
        self.pairs.iter().any(is_edit)
    }
}

/// The short name of the function around a site; of a site that is named by its path, of all functions on it.
pub fn name(site: &ProgramSite) -> String {
    site.source.functions.iter().map(|name| short_function(name)).collect::<Vec<_>>().join(" > ")
}
