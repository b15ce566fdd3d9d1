//! The slots of loaded objects, and what they are made to lead to.
//!
//! Functions that some MPI library lacks are reached by slots alone: a program that tests for them would believe in them
//! if they were exported.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::sync::{Mutex, OnceLock};

use traces::calls::Call;
use traces::definitions::Language;

use super::{fortran, python, stubs};
use crate::loaded::{self, Object};
use crate::real;
use crate::symbol;
use crate::wrappers::{self, Ways};

/// How often the loader had added objects when they were last patched.
static ADDED: Mutex<u64> = Mutex::new(0);

/// Patches all objects, unless none was loaded since the last time. Returns whether there were.
pub fn patch() -> bool {
    // Who finds it locked is inside the loader, or called by what this one calls; whoever has it does the work.
    let Ok(mut known) = ADDED.try_lock() else { return false };
    let added = loaded::added();
    if added == *known {
        return false;
    }
    *known = added;
    let Some(library) = real::library() else { return false };
    let objects: Vec<Object> =
        loaded::objects().into_iter().filter(|object| !object.range.contains(&library.base)).collect();
    let layers: Vec<Layer> = objects.iter().filter_map(Layer::of).collect();
    for object in &objects {
        let layer = layers.iter().find(|layer| layer.object.range == object.range);
        // SAFETY: the object is loaded, and stays so while the program runs code in it.
        unsafe { object.patch(&mut |name| leads_to(name.to_str().ok()?, object, layer, &layers)) };
    }
    true
}

/// The way in for a program that calls this function, if the MPI library has it.
pub fn wrapper_named(symbol: &str) -> Option<usize> {
    let (call, ways) = wrappers_by_name().get(symbol)?;
    real::exists(*call).then_some(ways.program as usize)
}

/// An object between program and MPI.
struct Layer<'a> {
    object: &'a Object,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fortran,
    Tool,
    Python,
}

impl<'a> Layer<'a> {
    fn of(object: &'a Object) -> Option<Layer<'a>> {
        // SAFETY: the object is loaded.
        let defines = |name: &CStr| unsafe { object.defines(name) }.is_some();
        let kind = if defines(python::PROOF) {
            python::found(object.range.clone());
            Kind::Python
        } else if fortran::PROOFS.iter().any(|name| defines(name)) {
            Kind::Fortran
        } else if defines(c"MPI_Init") {
            Kind::Tool
        } else {
            return None;
        };
        Some(Layer { object, kind })
    }
}

/// What the slot for a symbol is to lead to, if not to what the loader found.
fn leads_to(symbol: &str, object: &Object, layer: Option<&Layer>, layers: &[Layer]) -> Option<usize> {
    if let Some((_, (call, ways))) = symbol.strip_prefix('P').and_then(|name| wrappers_by_name().get_key_value(name)) {
        // Open MPI's components call MPI by its profiling names where they are called by it.
        let internal = object.file_name().starts_with("mca_");
        return (!internal && real::exists(*call)).then_some(ways.by_profiling_name as usize);
    }
    if let Some((call, ways)) = wrappers_by_name().get(symbol) {
        let own = if layer.is_some() { ways.by_name } else { ways.program } as usize;
        return match other_tool(symbol) {
            Some(_) if layer.is_some() => None,
            Some(tool) => stubs::to(tool, *call, Language::C),
            None => real::exists(*call).then_some(own),
        };
    }
    if layer.is_some_and(|layer| layer.kind == Kind::Fortran) {
        return None;
    }
    let (call, language) = fortran::call_named(symbol)?;
    stubs::to(binding(symbol, layers)?, call, language)
}

/// Another tool's function, where it comes before ours in the order of linking.
fn other_tool(symbol: &str) -> Option<usize> {
    let first = symbol::first(&CString::new(symbol).ok()?)?;
    let base = symbol::describe(first)?.1;
    (!loaded::is_own(first) && real::library()?.base != base).then_some(first)
}

/// What the program's call of a Fortran function would reach.
fn binding(symbol: &str, layers: &[Layer]) -> Option<usize> {
    let symbol = CString::new(symbol).ok()?;
    // A binding that was loaded for a plugin alone is in no scope that can be searched from here.
    // SAFETY: the layers are loaded.
    symbol::first(&symbol).or_else(|| layers.iter().find_map(|layer| unsafe { layer.object.defines(&symbol) }))
}

/// All wrappers, by C symbol.
fn wrappers_by_name() -> &'static HashMap<String, (Call, Ways)> {
    static WRAPPERS: OnceLock<HashMap<String, (Call, Ways)>> = OnceLock::new();
    WRAPPERS.get_or_init(|| wrappers::all().into_iter().map(|(call, ways)| (call.mpi_name(), (call, ways))).collect())
}
