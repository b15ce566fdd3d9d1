//! Looks call sites up in the programs and libraries that ran.

use std::path::Path;

use addr2line::Loader;
use object::Object;
use traces::regular;

use super::{Frame, ModuleKey, Offsets};

/// Looks the offsets up in a module's file, if that is the one that ran.
pub fn resolve(module: &ModuleKey, offsets: &[u64]) -> Result<Offsets, String> {
    let path = Path::new(&module.path);
    let file = regular::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    // SAFETY: a program that someone cuts while it is being read ends this command with SIGBUS, and harms nothing.
    let data = unsafe { memmap2::Mmap::map(&file) }.map_err(|error| format!("{}: {error}", path.display()))?;
    let file = object::File::parse(&*data).map_err(|error| format!("{}: {error}", path.display()))?;
    let build_id = file.build_id().ok().flatten().unwrap_or_default();
    let build_id: String = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
    if build_id != module.build_id {
        return Err(format!("{}: it has changed since it ran (its build id is another)", path.display()));
    }
    let loader = Loader::new(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(offsets.iter().map(|offset| (*offset, frames(&loader, *offset))).filter(|(_, f)| !f.is_empty()).collect())
}

/// The functions around the call that returns to an address.
fn frames(loader: &Loader, returns_to: u64) -> Vec<Frame> {
    // The call is before where it returns to, which may be on another line or in another function.
    let address = returns_to.saturating_sub(1);
    let mut frames = Vec::new();
    if let Ok(mut found) = loader.find_frames(address) {
        while let Ok(Some(frame)) = found.next() {
            let function = frame.function.as_ref().and_then(|name| name.demangle().ok()).map(|name| readable(&name));
            let location = frame.location.as_ref();
            frames.push(Frame {
                function: function.unwrap_or_default(),
                file: location.and_then(|location| location.file).unwrap_or_default().into(),
                line: location.and_then(|location| location.line).unwrap_or(0),
            });
        }
    }
    let symbol = || loader.find_symbol(address).map(|name| readable(&addr2line::demangle_auto(name.into(), None)));
    // Without debugging information there is still the symbol table.
    match frames.last_mut() {
        Some(outermost) if outermost.function.is_empty() => outermost.function = symbol().unwrap_or("?".into()),
        Some(_) => {}
        None => frames.extend(symbol().map(|function| Frame { function, ..Frame::default() })),
    }
    frames
}

/// A function's name as the source has it, where the compiler's is another: `__solver_MOD_step` of gfortran,
/// `solver_mp_step_` of ifort, `step_` of both.
fn readable(name: &str) -> String {
    if let Some((module, procedure)) = name.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_")) {
        return format!("{module}::{procedure}");
    }
    if let Some((module, procedure)) = name.strip_suffix('_').and_then(|rest| rest.split_once("_mp_")) {
        return format!("{module}::{procedure}");
    }
    match name.strip_suffix('_') {
        Some(plain) if name == name.to_lowercase() && !plain.is_empty() && !name.contains("::") => plain.into(),
        _ => name.into(),
    }
}
