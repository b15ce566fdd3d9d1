//! Where in the program a call of MPI comes from, as one word of a register.
//!
//! That is the address that the call returns to, or a number that stands for a line of Python: either has 47 bits. The two
//! highest say how the call came here.

/// By which of its two names MPI was called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CalledBy {
    /// `MPI_X`.
    Name,
    /// `PMPI_X`.
    ProfilingName,
}

/// See the module.
#[derive(Clone, Copy)]
pub struct CallSite(usize);

/// Something between program and MPI made the call.
const LAYERED: usize = 1 << 63;
/// It did by MPI's profiling name.
const PROFILING: usize = 1 << 62;

impl CallSite {
    /// No place in the program.
    pub const NONE: CallSite = CallSite(0);

    /// The program called what lies between it and MPI from `address`, and that called MPI.
    pub const fn layered(address: usize, by: CalledBy) -> CallSite {
        let profiling = if matches!(by, CalledBy::ProfilingName) { PROFILING } else { 0 };
        CallSite(address | LAYERED | profiling)
    }

    /// A binding of another language made the call for itself: from no place in the program.
    pub const fn of_binding(by: CalledBy) -> CallSite {
        CallSite::layered(0, by)
    }

    /// As a word brings it.
    #[inline(always)]
    pub const fn from_word(word: usize) -> CallSite {
        CallSite(word)
    }

    /// As a word takes it: the same for calls from the same place by the same way.
    #[inline(always)]
    pub const fn word(self) -> usize {
        self.0
    }

    /// The address alone.
    pub const fn address(self) -> usize {
        self.0 & !(LAYERED | PROFILING)
    }

    /// Whether something between program and MPI made the call.
    pub const fn is_layered(self) -> bool {
        self.0 & LAYERED != 0
    }

    /// Whether a binding of another language made the call for itself.
    #[inline(always)]
    pub const fn is_of_binding(self) -> bool {
        self.is_layered() && self.address() == 0
    }

    /// Whether MPI was called by its profiling name.
    #[inline(always)]
    pub const fn is_by_profiling_name(self) -> bool {
        self.0 & PROFILING != 0
    }
}
