//! The wrappers by name. They are on a higher floor, so they are passed in.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::OnceLock;

use traces::calls::Call;

use crate::loaded::SymbolName;

/// Code that takes the arguments of some MPI function.
pub type EntryPoint = unsafe extern "C-unwind" fn();

/// The entries of a wrapper, by the kind of caller.
#[derive(Clone, Copy)]
pub struct WrapperEntries {
    /// For a program that calls `MPI_X`.
    pub program: EntryPoint,
    /// For a layer that calls `MPI_X`.
    pub by_name: EntryPoint,
    /// For a layer that calls `PMPI_X`.
    pub by_profiling_name: EntryPoint,
}

pub struct Wrappers {
    all: fn() -> Vec<(Call, WrapperEntries)>,
    around_binding: fn(Call) -> Option<usize>,
    by_name: OnceLock<HashMap<String, (Call, WrapperEntries)>>,
    names: OnceLock<Vec<SymbolName<CString>>>,
}

impl Wrappers {
    /// `all` returns the entries of all functions; `around_binding` the code that records a call around a binding's
    /// function, for calls whose binding has arguments that this code can pass on.
    pub const fn new(all: fn() -> Vec<(Call, WrapperEntries)>, around_binding: fn(Call) -> Option<usize>) -> Wrappers {
        Wrappers { all, around_binding, by_name: OnceLock::new(), names: OnceLock::new() }
    }

    /// The call and entries of a function, by its C symbol.
    pub fn named(&self, symbol: &str) -> Option<&(Call, WrapperEntries)> {
        self.by_name().get(symbol)
    }

    /// The C symbols of all functions.
    pub fn names(&self) -> &[SymbolName<CString>] {
        let name = |name: &String| CString::new(name.as_str()).ok().map(SymbolName::new);
        self.names.get_or_init(|| self.by_name().keys().filter_map(name).collect())
    }

    /// The code that records a call around a binding's function, if there is any for this call.
    pub fn around_binding(&self, call: Call) -> Option<usize> {
        (self.around_binding)(call)
    }

    fn by_name(&self) -> &HashMap<String, (Call, WrapperEntries)> {
        let by_name = || (self.all)().into_iter().map(|(call, ways)| (call.mpi_name(), (call, ways))).collect();
        self.by_name.get_or_init(by_name)
    }
}
