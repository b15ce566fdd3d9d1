//! The functions of a program that have call sites, and those of one name in two versions.

use std::collections::BTreeMap;

use super::program_sites::ProgramSite;
use model::sites::short_function;

/// A function of one version, with its sites in their order.
pub struct SourceFunction<'s> {
    /// Its name; of sites that are named by their paths, those of all functions on the path.
    pub names: &'s [String],
    pub file: &'s str,
    /// Indices of its sites.
    pub sites: Vec<usize>,
}

/// The functions of these sites.
pub fn functions(sites: &[ProgramSite]) -> Vec<SourceFunction<'_>> {
    let mut all: BTreeMap<(&[String], &str), Vec<usize>> = BTreeMap::new();
    for (at, site) in sites.iter().enumerate() {
        all.entry((&site.source.functions, &site.source.file)).or_default().push(at);
    }
    let order = |at: &usize| (&sites[*at].source.lines, &sites[*at].name, &sites[*at].call.function);
    let mut functions = Vec::new();
    for ((names, file), mut of_function) in all {
        of_function.sort_by(|one, other| order(one).cmp(&order(other)));
        functions.push(SourceFunction { names, file, sites: of_function });
    }
    functions
}

/// Pairs functions by name and file, by name alone where they moved, and by the name without arguments where these changed.
pub fn of_one_name(a: &[SourceFunction<'_>], b: &[SourceFunction<'_>]) -> Vec<(usize, usize)> {
    let short = |all: &[SourceFunction<'_>]| -> Vec<Vec<String>> {
        all.iter().map(|function| function.names.iter().map(|name| short_function(name)).collect()).collect()
    };
    let (short_a, short_b) = (short(a), short(b));
    let is_in_one_file = |one: usize, other: usize| a[one].file == b[other].file;
    let rules: [&dyn Fn(usize, usize) -> bool; 4] = [
        &|one, other| a[one].names == b[other].names && is_in_one_file(one, other),
        &|one, other| a[one].names == b[other].names && !a[one].names.is_empty(),
        &|one, other| short_a[one] == short_b[other] && is_in_one_file(one, other),
        &|one, other| short_a[one] == short_b[other] && !a[one].names.is_empty(),
    ];
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let (mut is_free_a, mut is_free_b) = (vec![true; a.len()], vec![true; b.len()]);
    for fits in rules {
        for (one, is_free) in is_free_a.iter_mut().enumerate() {
            let fitting = (0..b.len()).find(|other| *is_free && is_free_b[*other] && fits(one, *other));
            if let Some(other) = fitting {
                (*is_free, is_free_b[other]) = (false, false);
                pairs.push((one, other));
            }
        }
    }
    pairs
}
