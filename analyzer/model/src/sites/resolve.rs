//! Looks call sites up in the programs and libraries that ran.

use std::error::Error;
use std::path::Path;

use object::Object;

use super::{Frame, ModuleKey, Offsets, debug_info};

/// Looks offsets up in a module's file if its build id matches.
pub fn resolve(module: &ModuleKey, offsets: &[u64]) -> Result<Offsets, String> {
    let path = Path::new(&module.path);
    look_up(path, module, offsets).map_err(|error| format!("{}: {error}", path.display()))
}

fn look_up(path: &Path, module: &ModuleKey, offsets: &[u64]) -> Result<Offsets, Box<dyn Error>> {
    let data = debug_info::map(path)?;
    let file = object::File::parse(&*data)?;
    let build_id = file.build_id().ok().flatten().unwrap_or_default();
    let build_id: String = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
    if build_id != module.build_id {
        return Err("it has changed since the run (its build id differs)".into());
    }
    // The recorded address is the return address, which may be on another line or in another function.
    let addresses: Vec<u64> = offsets.iter().map(|returns_to| returns_to.saturating_sub(1)).collect();
    let mut known = debug_info::look_up(path, &file, &addresses)?;
    let symbols = file.symbol_map();
    let frames = |address: u64| {
        let symbol = symbols.containing(address).map(|symbol| addr2line::demangle_auto(symbol.name().into(), None));
        frames(known.remove(&address).unwrap_or_default(), symbol.as_deref())
    };
    let frames = offsets.iter().zip(addresses.iter().copied().map(frames));
    Ok(frames.map(|(offset, frames)| (*offset, frames)).filter(|(_, frames)| !frames.is_empty()).collect())
}

/// The functions around a call, by the symbol table without debugging information.
fn frames(mut frames: Vec<Frame>, symbol: Option<&str>) -> Vec<Frame> {
    frames.iter_mut().for_each(|frame| frame.function = readable(&frame.function));
    match frames.last_mut() {
        Some(outermost) if outermost.function.is_empty() => outermost.function = symbol.map_or("?".into(), readable),
        Some(_) => {}
        None => frames.extend(symbol.map(|name| Frame { function: readable(name), ..Frame::default() })),
    }
    frames
}

/// A function's name as in the source, from the compiler's: `__solver_MOD_step` of gfortran, `solver_mp_step_` of ifort, `step_`
/// of both.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortran_names_read_as_the_source_has_them() {
        let names = [
            ("__solver_MOD_step", "solver::step"),
            ("solver_mp_step_", "solver::step"),
            ("step_", "step"),
            ("Step_", "Step_"),
            ("_", "_"),
            ("ns::step_", "ns::step_"),
            ("main", "main"),
        ];
        for (symbol, source) in names {
            assert_eq!(readable(symbol), source);
        }
    }
}
