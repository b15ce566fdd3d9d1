//! Ways to call MPI from Fortran, and the functions each has.

use std::collections::BTreeSet;

use traces::calls::Call;

use crate::mpi::Fortran;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// `include 'mpif.h'`
    Mpif,
    /// `use mpi`
    Module,
    /// `use mpi_f08`
    Module2008,
}

impl Style {
    /// Styles that the compiler supports.
    pub fn of(fortran: &Fortran) -> Vec<Style> {
        let all = [Style::Mpif, Style::Module, Style::Module2008];
        all.into_iter().filter(|style| fortran.f08 || *style != Style::Module2008).collect()
    }

    /// The style's name within file names.
    pub fn name(self) -> &'static str {
        match self {
            Style::Mpif => "mpif",
            Style::Module => "module",
            Style::Module2008 => "f08",
        }
    }

    /// First lines of the module.
    pub fn opening(self) -> &'static str {
        match self {
            Style::Mpif => "  implicit none\n  include 'mpif.h'\n",
            Style::Module => "  use mpi\n  implicit none\n",
            Style::Module2008 => "  use mpi_f08\n  use iso_c_binding\n  implicit none\n",
        }
    }

    /// Looks for the function among the bindings' symbols.
    pub fn has(self, exports: &BTreeSet<String>, call: Call) -> bool {
        let symbol = format!("mpi_{}", name(call).to_lowercase());
        let large = is_large(call);
        let endings: &[&str] = match self {
            Style::Mpif | Style::Module if large => &[],
            Style::Mpif | Style::Module => &["_"],
            Style::Module2008 if large => &["_f08_large_", "_f08ts_large_"],
            Style::Module2008 => &["_f08_", "_f08ts_"],
        };
        endings.iter().any(|ending| exports.contains(&format!("{symbol}{ending}")))
    }
}

/// Fortran's name of the function: bindings tell large counts by argument types, not names.
pub fn name(call: Call) -> &'static str {
    let name = call.row().name;
    name.strip_suffix("_c").unwrap_or(name)
}

fn is_large(call: Call) -> bool {
    call.is_large() || call.row().name.ends_with("_c")
}
