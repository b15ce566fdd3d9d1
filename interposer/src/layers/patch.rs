//! Patches the slots of loaded objects, so that their calls of MPI and of layers lead to wrappers and stubs.
//!
//! Functions that some MPI library lacks are reached by slots alone: if they were exported, a program that tests for
//! them would find them under every MPI.

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

/// The prefixes of MPI's symbols in C and Fortran.
const NAMES: [&[u8]; 3] = [b"MPI_", b"PMPI_", b"mpi_"];

static PATCHED: Mutex<Patched> =
    Mutex::new(Patched { changes: (0, 0), objects: BTreeSet::new(), layers: Vec::new(), passed_on: None });

struct Patched {
    /// Numbers of objects that the loader had added and removed at the last patching.
    changes: (u64, u64),
    /// The addresses at which the objects begin.
    objects: BTreeSet<usize>,
    /// The objects between program and MPI.
    layers: Vec<Layer>,
    /// The MPI functions that the Fortran bindings call; `None` if there is no binding.
    passed_on: Option<BTreeSet<Call>>,
}

/// Patches the objects that were loaded since the last time. Returns true if it looked for new ones.
pub fn patch(wrappers: &Wrappers) -> bool {
    // Never waits, since this thread may hold the loader's lock or the mutex itself. The owner of the mutex does the
    // work.
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
        // The next object may be loaded where another was.
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
        match LayerKind::classify(&object, wrappers) {
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

/// True if an object that is no layer calls MPI by its profiling names: these calls are not seen.
pub fn calls_unseen() -> bool {
    UNSEEN.load(Relaxed)
}

static UNSEEN: AtomicBool = AtomicBool::new(false);

/// The wrapper for programs that call this function, if the MPI library has it.
#[cfg(not(feature = "archive"))]
pub fn wrapper_named(wrappers: &Wrappers, symbol: &str) -> Option<usize> {
    let (call, ways) = wrappers.named(symbol)?;
    real::exists(*call).then_some(ways.program as usize)
}

struct Layer {
    object: LoadedObject,
    kind: LayerKind,
}

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
    /// `None` if the object is no layer.
    fn classify(object: &LoadedObject, wrappers: &Wrappers) -> Option<LayerKind> {
        // SAFETY: the object is loaded.
        let exports = unsafe { object.exports() }?;
        // SAFETY: the object is loaded.
        let defines = |name: &CStr| unsafe { exports.find(&SymbolName::new(name)) }.is_some();
        if defines(python::PROOF) {
            python::found(object.range.clone());
            Some(LayerKind::Python)
        } else if fortran::PROOFS.iter().any(|name| defines(name)) {
            Some(LayerKind::Fortran)
        } else {
            // SAFETY: the object is loaded.
            let is_tool = wrappers.names().iter().any(|name| unsafe { exports.find(name) }.is_some());
            is_tool.then_some(LayerKind::Tool)
        }
    }
}

/// The address that an object's slot for a symbol must hold; `None` to leave what the loader found.
fn leads_to(
    symbol: &str,
    object: &LoadedObject,
    layer: Option<LayerKind>,
    patched: &Patched,
    wrappers: &Wrappers,
) -> Option<usize> {
    if let Some((call, ways)) = symbol.strip_prefix('P').and_then(|name| wrappers.named(name)) {
        // Open MPI's own components call MPI by its profiling names.
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
    // A function that no binding calls: the binding does its work without MPI's own.
    let is_answered = patched.passed_on.as_ref().is_some_and(|passed_on| !passed_on.contains(&call));
    if let Some(around) = wrappers.around_binding(call).filter(|_| is_answered) {
        return stubs::through(around, binding, call, language);
    }
    stubs::stub_to(binding, call, language)
}

/// Another tool's function, if it comes before ours in the order of linking.
fn other_tool(symbol: &str) -> Option<usize> {
    let first = symbol::first(&CString::new(symbol).ok()?)?;
    let (_, base) = symbol::definer(first)?;
    (base != loaded::own_base() && base != real::library()?.base).then_some(first)
}

/// The function that the program's call of a Fortran symbol would reach without us.
fn binding(symbol: &str, layers: &[Layer]) -> Option<usize> {
    let symbol = CString::new(symbol).ok()?;
    // A binding that was loaded with RTLD_LOCAL for a plugin is in no scope that can be searched from here.
    // SAFETY: the layers are loaded.
    symbol::first(&symbol).or_else(|| layers.iter().find_map(|layer| unsafe { layer.object.defines(&symbol) }))
}
