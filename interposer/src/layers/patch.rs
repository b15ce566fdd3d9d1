//! Patches the slots of loaded objects, so that their calls of MPI and of layers lead to wrappers and stubs.
//!
//! Functions that some MPI library lacks are reached by slots alone: if they were exported, a program that tests for
//! them would find them under every MPI.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use traces::calls::Call;
use traces::definitions::Language;

use super::wrappers::Wrappers;
use super::{fortran, python, stubs};
use crate::loaded::{self, LoadedObject, Settled, SymbolName};
use crate::real::{self, MpiLibrary};

/// The prefixes of MPI's symbols in C and Fortran.
const NAMES: [&[u8]; 3] = [b"MPI_", b"PMPI_", b"mpi_"];

/// Locked by the thread that patches alone.
static PATCHED: Mutex<Patched> = Mutex::new(Patched { last: 0, layers: Vec::new() });

struct Patched {
    /// The number of the last object that is patched.
    last: u64,
    /// The objects between program and MPI.
    layers: Vec<Layer>,
}

/// Patches the objects that were loaded since the last time. `seen_at` is an address in an object that is known to be
/// relocated, or 0. Returns true if there were any, or another thread could not patch some.
pub fn patch(wrappers: &Wrappers, seen_at: usize) -> bool {
    let Some(library) = library() else { return false };
    let was_put_off = loaded::is_put_off();
    let patched = loaded::with_settled(&[seen_at, library.base], |settled| patch_new(settled, wrappers, library));
    patched.unwrap_or(false) || was_put_off
}

/// The MPI library; looked for again only if objects were loaded since.
fn library() -> Option<&'static MpiLibrary> {
    static SEARCHED: AtomicU64 = AtomicU64::new(0);
    if !real::is_found() {
        let (added, removed) = loaded::changes();
        if SEARCHED.swap(added + removed, Relaxed) == added + removed {
            return None;
        }
    }
    real::library()
}

fn patch_new(settled: &Settled, wrappers: &Wrappers, library: &MpiLibrary) -> bool {
    let Ok(mut patched) = PATCHED.try_lock() else { return false };
    let layers = patched.layers.len();
    patched.layers.retain(|layer| settled.has(layer.number));
    if settled.after(patched.last).is_empty() && patched.layers.len() == layers {
        return false;
    }
    let is_others = |object: &&LoadedObject| !object.is_own() && !object.range.contains(&library.base);
    let mut new = Vec::new();
    for object in settled.after(patched.last).iter().filter(is_others) {
        let kind = LayerKind::classify(object, wrappers);
        if let Some(kind) = kind {
            let calls = if kind == LayerKind::Fortran { calls_of(object, wrappers) } else { BTreeSet::new() };
            patched.layers.push(Layer { number: object.number, range: object.range.clone(), kind, calls });
        }
        new.push((object, kind));
    }
    patched.last = settled.last();
    let bindings = || patched.layers.iter().filter(|layer| layer.kind == LayerKind::Fortran);
    fortran::found(bindings().map(|layer| layer.range.clone()));
    let passed_on: BTreeSet<Call> = bindings().flat_map(|binding| &binding.calls).copied().collect();
    let passed_on = bindings().next().map(|_| passed_on);
    let search = Search { settled, wrappers, library, passed_on };
    for (object, kind) in &new {
        // SAFETY: the object is relocated, and the loader is held.
        unsafe { object.patch(&NAMES, &mut |name| search.leads_to(name, object, *kind)) };
    }
    !new.is_empty()
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
    /// Its object's number.
    number: u64,
    range: Range<usize>,
    kind: LayerKind,
    /// The MPI functions that it calls, if it is a Fortran binding.
    calls: BTreeSet<Call>,
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

/// True if an object belongs to an MPI library and may call MPI by its profiling names: Open MPI's components, and the
/// bindings for C++ of MPICH and Intel MPI, which name datatypes so.
fn is_of_library(object: &LoadedObject) -> bool {
    let is_finalized = SymbolName::new(c"_ZN3MPI12Is_finalizedEv");
    // SAFETY: the object is loaded.
    let has_bindings = || unsafe { object.exports().is_some_and(|exports| exports.find(&is_finalized).is_some()) };
    object.file_name().starts_with("mca_") || has_bindings()
}

/// The functions that slots lead to.
struct Search<'a> {
    settled: &'a Settled<'a>,
    wrappers: &'a Wrappers,
    library: &'a MpiLibrary,
    /// The MPI functions that the Fortran bindings call; `None` if there is no binding.
    passed_on: Option<BTreeSet<Call>>,
}

impl Search<'_> {
    /// The address that an object's slot for a symbol must hold; `None` to leave what the loader found.
    fn leads_to(&self, name: &CStr, object: &LoadedObject, layer: Option<LayerKind>) -> Option<usize> {
        let symbol = name.to_str().ok()?;
        if let Some((call, ways)) = symbol.strip_prefix('P').and_then(|name| self.wrappers.named(name)) {
            if layer.is_none() && !is_of_library(object) {
                UNSEEN.store(true, Relaxed);
            }
            return (layer.is_some() && real::exists(*call)).then_some(ways.by_profiling_name as usize);
        }
        if let Some((call, ways)) = self.wrappers.named(symbol) {
            let own = if layer.is_some() { ways.by_name } else { ways.program } as usize;
            return match self.other_tool(name) {
                Some(_) if layer.is_some() => None,
                Some(tool) => stubs::stub_to(tool, *call, Language::C),
                None => real::exists(*call).then_some(own),
            };
        }
        if layer == Some(LayerKind::Fortran) {
            return None;
        }
        let (call, language) = fortran::call_named(symbol)?;
        let binding = self.binding(name)?;
        // A function that no binding calls: the binding does its work without MPI's own.
        let is_answered = self.passed_on.as_ref().is_some_and(|passed_on| !passed_on.contains(&call));
        if let Some(around) = self.wrappers.around_binding(call).filter(|_| is_answered) {
            return stubs::through(around, binding, call, language);
        }
        stubs::stub_to(binding, call, language)
    }

    /// Another tool's function, if it comes before ours in the order of linking: the tool was there at the start.
    fn other_tool(&self, symbol: &CStr) -> Option<usize> {
        let symbol = SymbolName::new(symbol);
        // SAFETY: the loader is held.
        let defined = |object: &LoadedObject| unsafe { object.exports()?.find(&symbol) };
        let (object, found) =
            self.settled.at_start().iter().find_map(|object| defined(object).map(|found| (object, found)))?;
        (!object.is_own() && !object.range.contains(&self.library.base)).then_some(found)
    }

    /// The function that the program's call of a Fortran symbol would reach without us, be it in a binding that was
    /// loaded with RTLD_LOCAL for a plugin.
    fn binding(&self, symbol: &CStr) -> Option<usize> {
        let symbol = SymbolName::new(symbol);
        // SAFETY: the loader is held.
        self.settled.objects().iter().find_map(|object| unsafe { object.exports()?.find(&symbol) })
    }
}
