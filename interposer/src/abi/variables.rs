//! What the MPI library is set to: by its defaults, by files, by the environment, or by the program.
//!
//! Open MPI is asked for its MCA parameters by the function that `ompi_info` prints them with, which tells where each value is from. To
//! initialize MPI_T takes it 0.2 s, and loads components that the run does not use. MPICH's MPI_T takes less than a millisecond.

use std::ffi::{CStr, c_char, c_int};

use traces::calls::Call;
use traces::definitions::Variable;

use super::Family;
use crate::config;
use crate::real::{self, MpiLibrary};

/// Maximum bytes of a value: some are lists of folders.
const MOST_OF_VALUE: usize = 400;

/// The library's variables. None of a library that does not tell them cheaply.
pub fn read(library: &MpiLibrary, family: &Family, version: &str) -> Vec<Variable> {
    if let Some(parameters) = Parameters::of(library) {
        return parameters.read();
    }
    // Intel MPI's is initialized only for users who ask for the progress engine.
    if version.starts_with("Intel") { Vec::new() } else { of_mpi_t(family) }
}

type Count = unsafe extern "C" fn() -> c_int;
type Dump = unsafe extern "C" fn(c_int, *mut *mut *mut c_char, c_int) -> c_int;

/// Functions of Open MPI's libopen-pal, from 1.7 on.
struct Parameters {
    count: Count,
    dump: Dump,
}

impl Parameters {
    /// MCA_BASE_VAR_DUMP_SIMPLE: a line `NAME=VALUE (SOURCE)`.
    const SIMPLE: c_int = 2;

    fn of(library: &MpiLibrary) -> Option<Parameters> {
        let [count, dump] = ["mca_base_var_get_count", "mca_base_var_dump"].map(|name| library.find(name));
        // SAFETY: the functions have these types in every version that has them.
        unsafe {
            let count = std::mem::transmute::<usize, Count>(count?);
            Some(Parameters { count, dump: std::mem::transmute::<usize, Dump>(dump?) })
        }
    }

    fn read(&self) -> Vec<Variable> {
        // SAFETY: MPI is initialized.
        let count = unsafe { (self.count)() };
        (0..count).filter_map(|index| self.parameter(index)).collect()
    }

    fn parameter(&self, index: c_int) -> Option<Variable> {
        let mut lines: *mut *mut c_char = std::ptr::null_mut();
        // SAFETY: writes a list that ends with a null pointer, and is ours to free with its strings.
        unsafe {
            if (self.dump)(index, &mut lines, Self::SIMPLE) != 0 || lines.is_null() {
                return None;
            }
            let mut variable = None;
            let mut at = lines;
            while !(*at).is_null() {
                variable = variable.or_else(|| parsed(&CStr::from_ptr(*at).to_string_lossy()));
                libc::free((*at).cast());
                at = at.add(1);
            }
            libc::free(lines.cast());
            variable
        }
    }
}

/// The parameter of a line `NAME=VALUE (SOURCE)`.
fn parsed(line: &str) -> Option<Variable> {
    let (name, rest) = line.split_once('=')?;
    // Each component has three, which say the library's version.
    if name.ends_with("_version") {
        return None;
    }
    let (value, from) = match rest.strip_suffix("))").and_then(|rest| rest.rsplit_once(" (file (")) {
        Some(of_file) => of_file,
        None => rest.strip_suffix(')')?.rsplit_once(" (")?,
    };
    let from = if from == "default" { "" } else { from };
    Some(Variable { name: name.into(), value: shortened(value), from: from.into() })
}

fn shortened(value: &str) -> String {
    value[..value.floor_char_boundary(MOST_OF_VALUE)].into()
}

/// The control variables of MPI_T.
fn of_mpi_t(family: &Family) -> Vec<Variable> {
    let (mut provided, mut count) = (0i32, 0i32);
    // SAFETY: MPI is initialized; MPI_THREAD_SINGLE is 0 in every ABI; each writes one int.
    unsafe {
        if real::invoke(Call::T_init_thread, [0, &raw mut provided as usize]) != 0 {
            return Vec::new();
        }
        real::invoke(Call::T_cvar_get_num, [&raw mut count as usize]);
    }
    // MPI_T stays initialized: when the last one finalizes it, MPICH 4 frees its tables, and whoever initializes it again crashes.
    let mut types = Vec::new();
    (0..count).filter_map(|index| control_variable(family, index, &mut types)).collect()
}

/// Types of the variables' values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Text,
    Double,
    Integer(usize),
}

/// One control variable. `types` has the datatypes so far.
fn control_variable(family: &Family, index: i32, types: &mut Vec<(u64, Option<Type>)>) -> Option<Variable> {
    let (mut name, mut unused) = ([0u8; 256], [0u8; 8]);
    let (mut length, mut unused_length) = (name.len() as i32, unused.len() as i32);
    let (mut verbosity, mut datatype, mut enumeration, mut bind, mut scope) = (0i32, 0u64, 0usize, 0i32, 0i32);
    // SAFETY: each address is of a variable that the function may write, and both texts have the lengths given.
    let known = unsafe {
        real::invoke(
            Call::T_cvar_get_info,
            [
                index as usize,
                name.as_mut_ptr() as usize,
                &raw mut length as usize,
                &raw mut verbosity as usize,
                &raw mut datatype as usize,
                &raw mut enumeration as usize,
                unused.as_mut_ptr() as usize,
                &raw mut unused_length as usize,
                &raw mut bind as usize,
                &raw mut scope as usize,
            ],
        )
    };
    if known != 0 || bind != family.bound_to_none {
        return None;
    }
    let of_type = match types.iter().find(|(of, _)| *of == datatype) {
        Some((_, of_type)) => *of_type,
        None => {
            let of_type = type_of(datatype);
            types.push((datatype, of_type));
            of_type
        }
    };
    let value = value(index, of_type?)?;
    let name = CStr::from_bytes_until_nul(&name).ok()?.to_string_lossy().into_owned();
    // The variables are set by environment variables of their names.
    let from = if config::is_in_environment(&name) { "environment" } else { "" };
    Some(Variable { name, value: shortened(&value), from: from.into() })
}

fn type_of(datatype: u64) -> Option<Type> {
    let mut size = 0i32;
    // SAFETY: MPI is initialized, and writes one int.
    let is_known = unsafe { real::invoke(Call::Type_size, [datatype as usize, &raw mut size as usize]) } == 0;
    let name = real::text(Call::Type_get_name, &[datatype as usize]).filter(|_| is_known)?;
    Some(match name.as_str() {
        "MPI_CHAR" => Type::Text,
        "MPI_DOUBLE" => Type::Double,
        _ => Type::Integer(size as usize),
    })
}

/// The value of a control variable; of several numbers, with commas between.
fn value(index: i32, of_type: Type) -> Option<String> {
    let (mut handle, mut count) = (0usize, 0i32);
    // SAFETY: the variable is bound to no object, so the object's address is ignored.
    let allocated = unsafe {
        real::invoke(Call::T_cvar_handle_alloc, [index as usize, 0, &raw mut handle as usize, &raw mut count as usize])
    };
    if allocated != 0 {
        return None;
    }
    // Some libraries count a text without its end.
    let mut bytes = vec![0u8; 8 * count.max(1) as usize + 4096];
    // SAFETY: the buffer has room for `count` values of at most eight bytes.
    let read = unsafe {
        let read = real::invoke(Call::T_cvar_read, [handle, bytes.as_mut_ptr() as usize]);
        real::invoke(Call::T_cvar_handle_free, [&raw mut handle as usize]);
        read
    };
    if read != 0 {
        return None;
    }
    let number = |bytes: &[u8]| match (of_type, bytes.len()) {
        (Type::Double, _) => f64::from_ne_bytes(bytes.try_into().unwrap_or_default()).to_string(),
        (_, 8) => i64::from_ne_bytes(bytes.try_into().unwrap_or_default()).to_string(),
        _ => i32::from_ne_bytes(bytes.try_into().unwrap_or_default()).to_string(),
    };
    let size = match of_type {
        Type::Text => return Some(CStr::from_bytes_until_nul(&bytes).ok()?.to_string_lossy().into_owned()),
        Type::Double | Type::Integer(8) => 8,
        Type::Integer(4) => 4,
        Type::Integer(_) => return None,
    };
    let numbers: Vec<String> = bytes.chunks_exact(size).take(count.max(1) as usize).map(number).collect();
    Some(numbers.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameters_value_may_have_brackets_and_its_source_names_a_file() {
        let is = |line, [name, value, from]: [&str; 3]| {
            let expected = Variable { name: name.into(), value: value.into(), from: from.into() };
            assert_eq!(parsed(line), Some(expected), "{line}");
        };
        is("btl=^uct,ofi (file (/etc/a.conf:68))", ["btl", "^uct,ofi", "/etc/a.conf:68"]);
        is("eager=4096 (default)", ["eager", "4096", ""]);
        is("path=/a (x) (environment)", ["path", "/a (x)", "environment"]);
        assert!(parsed("help text").is_none() && parsed("btl_tcp_major_version=4 (default)").is_none());
    }
}
