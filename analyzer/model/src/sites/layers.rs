//! Finds the program's communication layer: its own functions around MPI's.
//!
//! A thin function calls only MPI on its way to MPI, or one thin function at one place. The layer consists of the thin functions that
//! several places call, all functions of the source files that hold such functions and only thin ones, and the thin functions that only
//! the layer calls. If the user names functions, these are the layer instead.
//!
//! Compilers make functions of parallel regions, and the library that runs threads calls these at places of its own. They are no layer.

use std::collections::{BTreeMap, BTreeSet};

use super::call_tree::{BEYOND, CallNode, CallTree, UNKNOWN};
use super::short_function;
use super::short_function::stands_for_function;
use crate::site_naming::has_form;

/// Functions with their files.
#[derive(Default)]
pub struct Layers(BTreeSet<(String, String)>);

/// A function, merged from its nodes in the tree.
#[derive(Default)]
struct Function<'a> {
    /// Its callers, each with the place of the call.
    callers: BTreeSet<(Option<Identity<'a>>, &'a str)>,
    /// Functions that it calls on paths to MPI, each with the place of the call.
    callees: BTreeSet<(Identity<'a>, &'a str)>,
    calls_mpi: bool,
    /// It stands for functions that the program does not name.
    is_placeholder: bool,
    /// True if the function belongs to the library that runs threads, or if that library calls it.
    is_of_threads: bool,
}

type Identity<'a> = (&'a str, &'a str);

impl Layers {
    /// Finds the layer by the patterns or, without patterns, from the tree.
    pub fn of(tree: &CallTree, patterns: &[String]) -> Layers {
        let nodes = tree.nodes.iter();
        if !patterns.is_empty() {
            let is_named = |function: &str| {
                let short = short_function(function);
                patterns.iter().any(|pattern| has_form(function, pattern) || has_form(&short, pattern))
            };
            let named = nodes.filter(|node| is_named(&node.function));
            return Layers(named.map(|node| (node.function.clone(), node.file.clone())).collect());
        }
        let functions = functions(tree);
        let thin = grown(BTreeSet::new(), &functions, Function::is_thin);
        let is_shared = |of: &&Identity<'_>| functions[*of].callers.len() > 1;
        let shared: BTreeSet<Identity<'_>> = thin.iter().filter(is_shared).copied().collect();
        // A source file of thin functions alone belongs to the layer, including functions that only one place calls.
        let others: BTreeSet<&str> = functions.keys().filter(|of| !thin.contains(*of)).map(|of| of.1).collect();
        let files: BTreeSet<&str> = shared.iter().map(|of| of.1).filter(|file| !others.contains(file)).collect();
        let is_of_file = |of: &&Identity<'_>| !of.1.is_empty() && files.contains(of.1);
        let begun = thin.iter().filter(|of| shared.contains(*of) || is_of_file(of)).copied().collect();
        // Thin functions that only the layer calls belong to it.
        let found = grown(begun, &functions, |function, found| {
            function.is_thin(&thin)
                && function.callers.iter().all(|(caller, _)| caller.is_some_and(|of| found.contains(&of)))
        });
        Layers(found.into_iter().map(|(function, file)| (function.to_string(), file.to_string())).collect())
    }

    /// The names of its functions.
    pub fn names(&self) -> BTreeSet<String> {
        self.0.iter().map(|(function, _)| short_function(function)).collect()
    }

    pub fn holds(&self, tree: &CallTree, node: u32) -> bool {
        let node = &tree.nodes[node as usize];
        self.0.contains(&(node.function.clone(), node.file.clone()))
    }
}

impl<'a> Function<'a> {
    /// True if it calls only MPI, or if its only way to MPI is one call of a thin function.
    fn is_thin(&self, thin: &BTreeSet<Identity<'a>>) -> bool {
        if self.is_placeholder || self.is_of_threads {
            return false;
        }
        match self.callees.len() {
            0 => self.calls_mpi,
            1 => !self.calls_mpi && self.callees.iter().all(|(callee, _)| thin.contains(callee)),
            _ => false,
        }
    }
}

/// Adds functions to the set until no other one belongs to it; each new member may make others belong.
fn grown<'a>(
    mut set: BTreeSet<Identity<'a>>,
    functions: &BTreeMap<Identity<'a>, Function<'a>>,
    belongs: impl Fn(&Function<'a>, &BTreeSet<Identity<'a>>) -> bool,
) -> BTreeSet<Identity<'a>> {
    loop {
        let is_new = |(of, function): &(&Identity<'a>, &Function<'a>)| !set.contains(*of) && belongs(function, &set);
        let more: Vec<Identity<'a>> = functions.iter().filter(is_new).map(|(of, _)| *of).collect();
        if more.is_empty() {
            return set;
        }
        set.extend(more);
    }
}

fn functions<'a>(tree: &'a CallTree) -> BTreeMap<Identity<'a>, Function<'a>> {
    let identity = |node: u32| {
        let node = &tree.nodes[node as usize];
        (node.function.as_str(), node.file.as_str())
    };
    let mut functions: BTreeMap<Identity<'a>, Function<'a>> = BTreeMap::new();
    let leads_to_mpi = tree.leads_to_mpi();
    for (number, node) in (0..).zip(&tree.nodes).filter(|(number, _)| leads_to_mpi[*number as usize]) {
        let caller = node.parent.map(identity);
        if !node.is_call {
            let function = functions.entry(identity(number)).or_default();
            function.callers.insert((caller, &node.site));
            function.is_of_threads |= node.runs_threads || is_run_by_threads(tree, node);
        }
        match caller.map(|caller| functions.entry(caller).or_default()) {
            Some(caller) if node.is_call => caller.calls_mpi = true,
            Some(caller) => drop(caller.callees.insert((identity(number), &node.site))),
            None => {}
        }
    }
    for ((name, _), function) in &mut functions {
        function.is_placeholder = [UNKNOWN, BEYOND].contains(name) || stands_for_function(name);
    }
    functions
}

/// True for the function of a parallel region, or of a thread.
fn is_run_by_threads(tree: &CallTree, node: &CallNode) -> bool {
    let is_outlined = ["._omp_fn", "omp_outlined"].iter().any(|part| node.function.contains(part));
    is_outlined || node.parent.is_some_and(|parent| tree.nodes[parent as usize].runs_threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(parent: Option<u32>, function: &str, site: &str, is_call: bool) -> CallNode {
        let (function, file, site) = (function.into(), String::new(), site.into());
        CallNode { parent, depth: 0, function, file, site, is_call, runs_threads: false }
    }

    /// `main` calls a function at two places, and that calls MPI.
    fn called_twice(function: &str) -> CallTree {
        let mut tree = CallTree::default();
        tree.nodes = vec![
            node(None, "main", "", false),
            node(Some(0), function, "main.py:3", false),
            node(Some(1), "MPI_Finalize", "", true),
            node(Some(0), function, "main.py:7", false),
            node(Some(3), "MPI_Finalize", "", true),
        ];
        tree
    }

    #[test]
    fn words_in_place_of_a_function_are_no_layer() {
        let names = |function| Layers::of(&called_twice(function), &[]).names();
        assert_eq!(names("comm_end"), BTreeSet::from(["comm_end".to_string()]));
        for function in ["(interpreter exit)", UNKNOWN, BEYOND] {
            assert_eq!(names(function), BTreeSet::new(), "{function}");
        }
    }

    #[test]
    fn what_the_library_of_threads_calls_is_no_layer() {
        let mut tree = called_twice("region");
        tree.nodes[0].runs_threads = true;
        assert_eq!(Layers::of(&tree, &[]).names(), BTreeSet::new());
        assert_eq!(Layers::of(&called_twice("main._omp_fn.0"), &[]).names(), BTreeSet::new());
    }
}
