//! A call site: the place in the program that a call of MPI comes from, as one word in a register.
//!
//! The word holds the call's return address, or a number that stands for a line of Python; either has 47 bits. Its two
//! highest bits say how the call reached the wrapper. Once the call's path is known, the path's number replaces the
//! whole word.

/// The name by which MPI was called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CalledBy {
    /// `MPI_X`.
    Name,
    /// `PMPI_X`.
    ProfilingName,
}

#[derive(Clone, Copy)]
pub struct CallSite(usize);

/// Set if the word holds the number of a call path.
const PATH: usize = 1 << 60;
/// Set if the word holds a number that stands for lines of Python.
const PYTHON: usize = 1 << 59;
/// Set if a layer between program and MPI made the call.
const LAYERED: usize = 1 << 63;
/// Set if the call was made by MPI's profiling name.
const PROFILING: usize = 1 << 62;

impl CallSite {
    /// The site of calls that the recorder makes up.
    pub const NONE: CallSite = CallSite(0);

    /// The site of a call that the program made to a layer at `address`, and the layer to MPI.
    pub const fn layered(address: usize, by: CalledBy) -> CallSite {
        let profiling = if matches!(by, CalledBy::ProfilingName) { PROFILING } else { 0 };
        CallSite(address | LAYERED | profiling)
    }

    /// The site of a call that Python made from a place with this number.
    pub const fn of_python(number: u64, by: CalledBy) -> CallSite {
        CallSite(CallSite::layered(number as usize, by).0 | PYTHON)
    }

    pub const fn is_of_python(self) -> bool {
        self.0 & PYTHON != 0
    }

    /// The site of a call that a language binding makes for its own purposes, from no place in the program.
    pub const fn of_binding(by: CalledBy) -> CallSite {
        CallSite::layered(0, by)
    }

    #[inline(always)]
    pub const fn from_word(word: usize) -> CallSite {
        CallSite(word)
    }

    /// The site as a word, equal for calls from the same place by the same way.
    #[inline(always)]
    pub const fn word(self) -> usize {
        self.0
    }

    /// The site of a call whose path has this number.
    #[inline(always)]
    pub const fn of_path(number: u32) -> CallSite {
        CallSite(number as usize | PATH)
    }

    /// The number of the path that a site's [`address`](Self::address) stands for.
    pub const fn path(address: u64) -> Option<u32> {
        if address & PATH as u64 != 0 { Some(address as u32) } else { None }
    }

    /// The address alone, or the number that stands for a path; 0 for none.
    pub const fn address(self) -> usize {
        self.0 & !(LAYERED | PROFILING | PYTHON)
    }

    pub const fn is_layered(self) -> bool {
        self.0 & LAYERED != 0
    }

    /// True if a language binding made the call for its own purposes.
    #[inline(always)]
    pub const fn is_of_binding(self) -> bool {
        self.is_layered() && self.address() == 0
    }

    #[inline(always)]
    pub const fn is_by_profiling_name(self) -> bool {
        self.0 & PROFILING != 0
    }
}
