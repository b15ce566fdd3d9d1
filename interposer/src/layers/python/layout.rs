//! Where CPython keeps what a thread executes, by version: offsets in bytes into its structures.
//!
//! From `Include/cpython/pystate.h`, `code.h`, `unicodeobject.h` and `Include/internal/pycore_frame.h` (`frameobject.h` before
//! 3.11, `pycore_interpframe_structs.h` since 3.14) of each version. They do not change between a version's patches, nor with its
//! build's options but for builds without the GIL and builds that trace references, whose objects do not begin with these words.

use super::memory::Memory;

/// See the module.
pub struct Layout {
    /// As the interpreter's version begins.
    version: &'static str,
    /// The way from a thread's state to the frame it executes: where to read the next pointer.
    frame: &'static [usize],
    /// A frame's code object.
    code: usize,
    /// The frame that called it.
    caller: usize,
    instruction: Instruction,
    /// A code object's source file.
    pub file: usize,
    /// Its function, with the class it is in since 3.11.
    pub function: usize,
    /// Its first line, which is half a word.
    first_line: usize,
    /// A text's characters, where all are ASCII.
    ascii: usize,
    /// The same where they are not.
    characters: usize,
}

/// How a frame says which instruction it executes.
enum Instruction {
    /// By its number, half a word, in the bytes object that the code object has.
    Number { in_frame: usize, bytes: usize, bytes_in_code: usize },
    /// By its address in the code object, where instructions begin.
    Address { in_frame: usize, begin: usize },
}
use Instruction::{Address, Number};

const LAYOUTS: [Layout; 8] = [
    Layout { version: "3.8.", instruction: Number { in_frame: 104, bytes: 1, bytes_in_code: 48 }, ..UNTIL_3_10 },
    Layout { version: "3.9.", instruction: Number { in_frame: 104, bytes: 1, bytes_in_code: 48 }, ..UNTIL_3_10 },
    UNTIL_3_10,
    Layout {
        version: "3.11.",
        frame: &[56, 8],
        code: 32,
        caller: 48,
        instruction: Address { in_frame: 56, begin: 184 },
        first_line: 72,
        ascii: 48,
        characters: 72,
        ..SINCE_3_12
    },
    SINCE_3_12,
    Layout { version: "3.13.", frame: &[72], instruction: Address { in_frame: 56, begin: 200 }, ..SINCE_3_12 },
    SINCE_3_14,
    Layout { version: "3.15.", ..SINCE_3_14 },
];

const UNTIL_3_10: Layout = Layout {
    version: "3.10.",
    frame: &[24],
    code: 32,
    caller: 24,
    instruction: Number { in_frame: 96, bytes: 2, bytes_in_code: 48 },
    file: 104,
    function: 112,
    first_line: 40,
    ascii: 48,
    characters: 72,
};

const SINCE_3_12: Layout = Layout {
    version: "3.12.",
    frame: &[56, 0],
    code: 0,
    caller: 8,
    instruction: Address { in_frame: 56, begin: 192 },
    file: 112,
    function: 128,
    first_line: 68,
    ascii: 40,
    characters: 56,
};

const SINCE_3_14: Layout =
    Layout { version: "3.14.", frame: &[72], instruction: Address { in_frame: 56, begin: 208 }, ..SINCE_3_12 };

/// What else than an address is in a frame's word for its code object since 3.14 (`pycore_stackref.h`).
const TAG: usize = 3;

/// Frames that are gone through at most.
const DEPTH: usize = 1000;

// The same in all versions.
const TYPE: usize = 8;
const LENGTH: usize = 16;
const BYTES: usize = 32;
const TEXT_STATE: usize = 32;

/// What a thread executes.
pub struct PythonFrame {
    /// The code object.
    pub code: usize,
    instruction: usize,
    /// What tells this code from other code that was given the same memory after it: its file and first line.
    origin: u64,
}

impl PythonFrame {
    /// A number for the place, in 47 bits.
    #[inline(always)]
    pub fn number(&self) -> u64 {
        mixed(self.origin, self.instruction as u64) >> 17
    }
}

/// A hash, with a word more.
#[inline(always)]
fn mixed(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The type of an object.
#[inline(always)]
pub fn type_of(object: usize, memory: &impl Memory) -> Option<usize> {
    memory.word(object + TYPE)
}

/// The half word at an address, or the byte or two that are there. It is read with the whole word around it, which never
/// reaches into another page.
#[inline(always)]
fn half(at: usize, memory: &impl Memory) -> Option<u32> {
    let within = at % size_of::<usize>();
    memory.word(at - within).map(|word| (word >> (8 * within)) as u32)
}

impl Layout {
    /// The layout of an interpreter's version.
    pub fn of(version: &str) -> Option<&'static Layout> {
        LAYOUTS.iter().find(|layout| version.starts_with(layout.version))
    }

    /// What a thread of this state executes.
    #[inline(always)]
    pub fn current_frame(&self, thread: usize, code_type: usize, memory: &impl Memory) -> Option<PythonFrame> {
        self.in_frame(self.innermost(thread, memory)?, code_type, memory)
    }

    /// The frames of a thread of this state and what they execute, innermost first. Those in between that are the interpreter's
    /// own have no code.
    pub fn frames<'a>(
        &'a self,
        thread: usize,
        code_type: usize,
        memory: &'a impl Memory,
    ) -> impl Iterator<Item = PythonFrame> + 'a {
        let callers = |frame: &usize| memory.word(frame + self.caller).filter(|caller| *caller != 0);
        let frames = std::iter::successors(self.innermost(thread, memory), callers).take(DEPTH);
        frames.filter_map(move |frame| self.in_frame(frame, code_type, memory))
    }

    #[inline(always)]
    fn innermost(&self, thread: usize, memory: &impl Memory) -> Option<usize> {
        let mut frame = thread;
        for next in self.frame {
            frame = Some(frame).filter(|frame| *frame != 0).and_then(|frame| memory.word(frame + next))?;
        }
        Some(frame)
    }

    #[inline(always)]
    fn in_frame(&self, frame: usize, code_type: usize, memory: &impl Memory) -> Option<PythonFrame> {
        let code = Some(frame).filter(|frame| *frame != 0).and_then(|frame| memory.word(frame + self.code))?;
        let code = code & !TAG;
        if code == 0 || type_of(code, memory)? != code_type {
            return None;
        }
        let instruction = match self.instruction {
            Number { in_frame, bytes, .. } => {
                self.begin(code, memory)? + half(frame + in_frame, memory)? as usize * bytes
            }
            Address { in_frame, .. } => memory.word(frame + in_frame)?,
        };
        let file = self.characters(memory.word(code + self.file)?, memory)?;
        let first_line = half(code + self.first_line, memory)?;
        Some(PythonFrame { code, instruction, origin: mixed(file.hash(memory)?, first_line as u64) })
    }

    /// Where a thread is in its code, in bytes; `None` where it is not in it.
    pub fn offset(&self, at: &PythonFrame, memory: &impl Memory) -> Option<usize> {
        let offset = at.instruction.checked_sub(self.begin(at.code, memory)?)?;
        let length = match self.instruction {
            Number { bytes_in_code, .. } => memory.word(memory.word(at.code + bytes_in_code)? + LENGTH)?,
            Address { .. } => 2 * memory.word(at.code + LENGTH)?,
        };
        (offset < length).then_some(offset)
    }

    /// Where the instructions of a code object begin.
    #[inline(always)]
    fn begin(&self, code: usize, memory: &impl Memory) -> Option<usize> {
        match self.instruction {
            Number { bytes_in_code, .. } => Some(memory.word(code + bytes_in_code)? + BYTES),
            Address { begin, .. } => Some(code + begin),
        }
    }

    /// A text object's text.
    pub fn text(&self, text: usize, memory: &impl Memory) -> Option<String> {
        let characters = self.characters(text, memory)?;
        (0..characters.length).map(|at| characters.get(at, memory)).collect()
    }

    #[inline(always)]
    fn characters(&self, text: usize, memory: &impl Memory) -> Option<Characters> {
        let state = half(text + TEXT_STATE, memory)?;
        // Two bits of something else, then three with the bytes of a character, then whether characters follow the
        // header, then whether all are ASCII.
        let (bytes, follow, is_ascii) = (state >> 2 & 7, state >> 5 & 1, state >> 6 & 1);
        if follow == 0 {
            return None;
        }
        let begin = text + if is_ascii == 1 { self.ascii } else { self.characters };
        Some(Characters { begin, length: memory.word(text + LENGTH)?, bytes })
    }
}

/// The characters of a text object, from the begin of a word.
struct Characters {
    begin: usize,
    length: usize,
    /// Bytes of each.
    bytes: u32,
}

impl Characters {
    fn get(&self, at: usize, memory: &impl Memory) -> Option<char> {
        let word = half(self.begin + at * self.bytes as usize, memory)?;
        char::from_u32(word & u32::MAX.checked_shr(32 - 8 * self.bytes)?)
    }

    #[inline(always)]
    fn hash(&self, memory: &impl Memory) -> Option<u64> {
        let end = self.begin + self.length * self.bytes as usize;
        let (mut hash, mut at) = (0, self.begin);
        while at < end {
            let word = memory.word(at)? as u64;
            let beyond = (at + size_of::<u64>()).saturating_sub(end);
            hash = mixed(hash, word << (8 * beyond));
            at += size_of::<u64>();
        }
        Some(hash)
    }
}
