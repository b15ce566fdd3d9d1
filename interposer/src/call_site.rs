//! Where in the program a call of MPI comes from, as one word in a register.
//!
//! The word holds the call's return address, or a number that stands for a line of Python; either has 47 bits. Its two
//! highest bits say how the call reached the wrapper.

/// Which of its two names MPI was called by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CalledBy {
    /// `MPI_X`.
    Name,
    /// `PMPI_X`.
    ProfilingName,
}

#[derive(Clone, Copy)]
pub struct CallSite(usize);

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

    /// The address alone; 0 for none.
    pub const fn address(self) -> usize {
        self.0 & !(LAYERED | PROFILING)
    }

    pub const fn is_layered(self) -> bool {
        self.0 & LAYERED != 0
    }

    /// Whether a language binding made the call for its own purposes.
    #[inline(always)]
    pub const fn is_of_binding(self) -> bool {
        self.is_layered() && self.address() == 0
    }

    #[inline(always)]
    pub const fn is_by_profiling_name(self) -> bool {
        self.0 & PROFILING != 0
    }
}
