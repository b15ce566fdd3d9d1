//! Patches the slots of loaded objects.
//!
//! Functions that some MPI library lacks are reached by slots alone: a program that tests for them would believe in them
//! if they were exported.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use traces::calls::Call;
use traces::definitions::Language;

use super::wrappers::Wrappers;
use super::{fortran, python, stubs};
use crate::loaded::{self, LoadedObject, SymbolName};
use crate::real;
use crate::symbol;

/// How the names begin that C and Fortran have for functions of MPI.
const NAMES: [&[u8]; 3] = [b"MPI_", b"PMPI_", b"mpi_"];

/// What was patched.
static PATCHED: Mutex<Patched> =
    Mutex::new(Patched { changes: (0, 0), objects: BTreeSet::new(), layers: Vec::new(), passed_on: None });

struct Patched {
    /// How often the loader had added and removed objects.
    changes: (u64, u64),
    /// Where the objects begin.
    objects: BTreeSet<usize>,
    /// Those between program and MPI.
    layers: Vec<Layer>,
    /// What the Fortran bindings among them call of MPI; `None` without any.
    passed_on: Option<BTreeSet<Call>>,
}

/// Patches the objects that were loaded since the last time. Returns whether there were any.
pub fn patch(wrappers: &Wrappers) -> bool {
    // Who finds it locked is inside the loader, or called by what this one calls; whoever has it does the work.
    let Ok(mut patched) = PATCHED.try_lock() else { return false };
    let changes = loaded::changes();
    if changes == patched.changes {
        return false;
    }
    let Some(library) = real::library() else {
        patched.changes = changes;
        return false;
    };
    if changes.1 != patched.changes.1 {
        // What is loaded next may lie where something else was.
        patched.objects.clear();
        patched.layers.clear();
        patched.passed_on = None;
    }
    patched.changes = changes;
    let mut others = Vec::new();
    let known = patched.layers.len();
    for object in loaded::objects() {
        if object.range.contains(&library.base) || !patched.objects.insert(object.range.start) {
            continue;
        }
        match LayerKind::of(&object, wrappers) {
            Some(kind) => {
                if kind == LayerKind::Fortran {
                    patched.passed_on.get_or_insert_default().extend(calls_of(&object, wrappers));
                }
                patched.layers.push(Layer { object, kind });
            }
            None => others.push(object),
        }
    }
    let bindings = patched.layers.iter().filter(|layer| layer.kind == LayerKind::Fortran);
    fortran::found(bindings.map(|layer| layer.object.range.clone()));
    let new = patched.layers.iter().skip(known).map(|layer| (&layer.object, Some(layer.kind)));
    for (object, kind) in new.chain(others.iter().map(|object| (object, None))) {
        // SAFETY: the object is loaded, and stays so while the program runs code in it.
        unsafe { object.patch(&NAMES, &mut |name| leads_to(name.to_str().ok()?, object, kind, &patched, wrappers)) };
    }
    true
}

/// Whether anything but a layer calls MPI by its profiling names, which is to say that it does not want to be seen.
pub fn calls_unseen() -> bool {
    UNSEEN.load(Relaxed)
}

static UNSEEN: AtomicBool = AtomicBool::new(false);

/// The way in for a program that calls this function, if the MPI library has it.
#[cfg(not(feature = "archive"))]
pub fn wrapper_named(wrappers: &Wrappers, symbol: &str) -> Option<usize> {
    let (call, ways) = wrappers.named(symbol)?;
    real::exists(*call).then_some(ways.program as usize)
}

/// An object between program and MPI.
struct Layer {
    object: LoadedObject,
    kind: LayerKind,
}

/// What an object calls of MPI.
fn calls_of(object: &LoadedObject, wrappers: &Wrappers) -> BTreeSet<Call> {
    let mut calls = BTreeSet::new();
    let mut read = |name: &CStr, _: *mut usize| {
        let name = name.to_str().unwrap_or_default();
        calls.extend(wrappers.named(name.strip_prefix('P').unwrap_or(name)).map(|(call, _)| *call));
    };
    // SAFETY: the object is loaded.
    unsafe { object.slots(&NAMES, &mut read) };
    calls
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LayerKind {
    Fortran,
    Tool,
    Python,
}

impl LayerKind {
    fn of(object: &LoadedObject, wrappers: &Wrappers) -> Option<LayerKind> {
        // SAFETY: the object is loaded.
        let exports = unsafe { object.exports() }?;
        // SAFETY: the same.
        let defines = |name: &CStr| unsafe { exports.find(&SymbolName::new(name)) }.is_some();
        if defines(python::PROOF) {
            python::found(object.range.clone());
            Some(LayerKind::Python)
        } else if fortran::PROOFS.iter().any(|name| defines(name)) {
            Some(LayerKind::Fortran)
        } else {
            // SAFETY: the same.
            let is_tool = wrappers.names().iter().any(|name| unsafe { exports.find(name) }.is_some());
            is_tool.then_some(LayerKind::Tool)
        }
    }
}

/// What the slot for a symbol is to lead to, if not to what the loader found.
fn leads_to(
    symbol: &str,
    object: &LoadedObject,
    layer: Option<LayerKind>,
    patched: &Patched,
    wrappers: &Wrappers,
) -> Option<usize> {
    if let Some((call, ways)) = symbol.strip_prefix('P').and_then(|name| wrappers.named(name)) {
        // Open MPI's components call MPI by its profiling names where they are called by it.
        let internal = object.file_name().starts_with("mca_");
        if layer.is_none() && !internal {
            UNSEEN.store(true, Relaxed);
        }
        return (layer.is_some() && real::exists(*call)).then_some(ways.by_profiling_name as usize);
    }
    if let Some((call, ways)) = wrappers.named(symbol) {
        let own = if layer.is_some() { ways.by_name } else { ways.program } as usize;
        return match other_tool(symbol) {
            Some(_) if layer.is_some() => None,
            Some(tool) => stubs::stub_to(tool, *call, Language::C),
            None => real::exists(*call).then_some(own),
        };
    }
    if layer == Some(LayerKind::Fortran) {
        return None;
    }
    let (call, language) = fortran::call_named(symbol)?;
    let binding = binding(symbol, &patched.layers)?;
    // The bindings do without MPI's own function.
    let is_answered = patched.passed_on.as_ref().is_some_and(|passed_on| !passed_on.contains(&call));
    if let Some(around) = wrappers.around_binding(call).filter(|_| is_answered) {
        return stubs::through(around, binding, call, language);
    }
    stubs::stub_to(binding, call, language)
}

/// Another tool's function, where it comes before ours in the order of linking.
fn other_tool(symbol: &str) -> Option<usize> {
    let first = symbol::first(&CString::new(symbol).ok()?)?;
    let (_, base) = symbol::definer(first)?;
    (base != loaded::own_base() && base != real::library()?.base).then_some(first)
}

/// What the program's call of a Fortran function would reach.
fn binding(symbol: &str, layers: &[Layer]) -> Option<usize> {
    let symbol = CString::new(symbol).ok()?;
    // A binding that was loaded for a plugin alone is in no scope that can be searched from here.
    // SAFETY: the layers are loaded.
    symbol::first(&symbol).or_else(|| layers.iter().find_map(|layer| unsafe { layer.object.defines(&symbol) }))
}
