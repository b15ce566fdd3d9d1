//! A call of the program with its arguments: of one function on the straight line, of any function off it.

use std::ptr;

use traces::calls::Call;

use crate::abi::Family;
use crate::call_site::CallSite;
use crate::recorder::thread::draft::Draft;
use recorder_core::cache::Words;

/// The result of an MPI function.
pub trait Outcome: Copy {
    /// The error code; 0 for success, and for results that are no error codes.
    fn code(self) -> i32;

    /// The result in a register, and back.
    fn word(self) -> u64;
    fn of_word(word: u64) -> Self;
}

/// A type of results: what its code is, and how it lies in a register.
macro_rules! outcome {
    ($type:ty, $code:expr, $word:expr, $of_word:expr) => {
        impl Outcome for $type {
            #[inline(always)]
            fn code(self) -> i32 {
                $code(self)
            }

            #[inline(always)]
            fn word(self) -> u64 {
                $word(self)
            }

            #[inline(always)]
            fn of_word(word: u64) -> $type {
                $of_word(word)
            }
        }
    };
}

outcome!(i32, |code| code, |code| code as u64, |word| word as i32);
// Handles, addresses and other numbers are no error codes, nor are seconds.
outcome!(usize, |_| 0, |number| number as u64, |word| word as usize);
outcome!(f64, |_| 0, f64::to_bits, f64::from_bits);

/// A call by the program, with its arguments.
pub trait ProgramCall: Copy {
    type Outcome: Outcome;
    /// True if the signature depends on the arguments' words alone, so that the call may be cached.
    const PLAIN: bool;

    fn call(&self) -> Call;

    fn site(&self) -> CallSite;

    /// Adds the words that identify the call in the cache.
    fn key(&self, family: &Family, words: &mut Words);

    fn note(&self, family: &Family, draft: &mut Draft);

    /// Calls MPI, with a status of ours if the program ignores its.
    fn make(&self, status: Option<usize>) -> Self::Outcome;
}

/// What MPI has returned, in two registers.
#[derive(Clone, Copy)]
pub struct Made {
    pub code: i32,
    pub word: u64,
}

/// What the arguments of a call are read for.
enum Reading<'a> {
    Key(&'a mut Words),
    Draft(&'a mut Draft),
}

/// A call of any function. What is off the straight line is built once for all functions, not once for each.
pub struct AnyCall {
    pub call: Call,
    pub site: CallSite,
    pub is_plain: bool,
    made: *const (),
    read: unsafe fn(*const (), &Family, Reading<'_>),
    make: unsafe fn(*const (), Option<usize>) -> Made,
}

impl AnyCall {
    /// `made` must live while the call is used.
    #[inline(always)]
    pub fn of<M: ProgramCall>(made: &M) -> AnyCall {
        AnyCall {
            call: made.call(),
            site: made.site(),
            is_plain: M::PLAIN,
            made: ptr::from_ref(made).cast(),
            // SAFETY: `made` is an M.
            read: |made, family, reading| match (unsafe { &*made.cast::<M>() }, reading) {
                (made, Reading::Key(words)) => made.key(family, words),
                (made, Reading::Draft(draft)) => made.note(family, draft),
            },
            make: |made, status| {
                // SAFETY: as above.
                let result = unsafe { (*made.cast::<M>()).make(status) };
                Made { code: result.code(), word: result.word() }
            },
        }
    }

    pub fn key(&self, family: &Family, words: &mut Words) {
        // SAFETY: `made` lives.
        unsafe { (self.read)(self.made, family, Reading::Key(words)) }
    }

    pub fn note(&self, family: &Family, draft: &mut Draft) {
        // SAFETY: `made` lives.
        unsafe { (self.read)(self.made, family, Reading::Draft(draft)) }
    }

    /// Calls MPI.
    #[inline(always)]
    pub fn make(&self, status: Option<usize>) -> Made {
        // SAFETY: `made` lives.
        unsafe { (self.make)(self.made, status) }
    }
}
