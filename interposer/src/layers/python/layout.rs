//! The layout of CPython's structures that tell what a thread executes, by version: offsets in bytes.
//!
//! From `Include/cpython/pystate.h`, `code.h`, `unicodeobject.h` and `Include/internal/pycore_frame.h` (`frameobject.h`
//! before 3.11, `pycore_interpframe_structs.h` since 3.14) of each version. The layout is the same in all patch
//! releases of a version and with all build options, except in builds without the GIL and builds that trace references,
//! whose objects begin with other words.

use super::interpreter_memory::Memory;

pub struct Layout {
    /// The prefix of the interpreter's version.
    version: &'static str,
    /// The pointers to follow from a thread's state to its innermost frame.
    frame: &'static [usize],
    /// In a frame: its code object.
    code: usize,
    /// In a frame: the frame that called it.
    caller: usize,
    instruction: Instruction,
    /// In a code object: its source file.
    pub file: usize,
    /// In a code object: its function's name, qualified by the class since 3.11.
    pub function: usize,
    /// In a code object: its first line, half a word.
    first_line: usize,
    /// In a str: the characters, if all are ASCII.
    ascii: usize,
    /// In a str: the characters, if not all are ASCII.
    characters: usize,
}

/// The reference of a frame to the instruction that it executes.
enum Instruction {
    /// By its number, half a word, in the bytes object of the code object; an instruction has `bytes` bytes.
    Number { in_frame: usize, bytes: usize, bytes_in_code: usize },
    /// By its address in the code object, whose instructions start at `begin`.
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

/// Tag bits in a frame's pointer to its code object, since 3.14 (`pycore_stackref.h`).
const TAG: usize = 3;

/// Limit on the frames that are visited.
const DEPTH: usize = 1000;

// Offsets that are the same in all versions.
const TYPE: usize = 8;
const LENGTH: usize = 16;
const BYTES: usize = 32;
const TEXT_STATE: usize = 32;

pub struct PythonFrame {
    /// The address of the code object.
    pub code: usize,
    /// The address of the instruction.
    instruction: usize,
    /// Hash of file and first line, since other code may later get the same memory.
    origin: u64,
}

impl PythonFrame {
    /// A number of 47 bits for the place.
    #[inline(always)]
    pub fn number(&self) -> u64 {
        mixed(self.origin, self.instruction as u64) >> 17
    }
}

/// A number of 47 bits for a path, from the number of its inner part and that of the next outer place.
#[inline(always)]
pub fn path_number(inner: u64, caller: u64) -> u64 {
    mixed(inner, caller) >> 17
}

/// Adds a word to a hash.
#[inline(always)]
fn mixed(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The address of an object's type.
#[inline(always)]
pub fn type_of(object: usize, memory: &impl Memory) -> Option<usize> {
    memory.word(object + TYPE)
}

/// The half word at an address, or a byte or two of it. The aligned word around it is read, which never crosses a page.
#[inline(always)]
fn half(at: usize, memory: &impl Memory) -> Option<u32> {
    let within = at % size_of::<usize>();
    memory.word(at - within).map(|word| (word >> (8 * within)) as u32)
}

impl Layout {
    /// The layout of an interpreter's version, if it is known.
    pub fn of(version: &str) -> Option<&'static Layout> {
        LAYOUTS.iter().find(|layout| version.starts_with(layout.version))
    }

    /// The innermost frame of the thread with this state.
    #[inline(always)]
    pub fn current_frame(&self, thread: usize, code_type: usize, memory: &impl Memory) -> Option<PythonFrame> {
        self.in_frame(self.innermost(thread, memory)?, code_type, memory)
    }

    /// The frames of the thread with this state, innermost first. Frames of the interpreter itself have no code and are
    /// left out.
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

    /// The offset of a frame's instruction in its code, in bytes; `None` if it lies outside.
    pub fn offset(&self, at: &PythonFrame, memory: &impl Memory) -> Option<usize> {
        let offset = at.instruction.checked_sub(self.begin(at.code, memory)?)?;
        let length = match self.instruction {
            Number { bytes_in_code, .. } => memory.word(memory.word(at.code + bytes_in_code)? + LENGTH)?,
            Address { .. } => 2 * memory.word(at.code + LENGTH)?,
        };
        (offset < length).then_some(offset)
    }

    /// The address of a code object's first instruction.
    #[inline(always)]
    fn begin(&self, code: usize, memory: &impl Memory) -> Option<usize> {
        match self.instruction {
            Number { bytes_in_code, .. } => Some(memory.word(code + bytes_in_code)? + BYTES),
            Address { begin, .. } => Some(code + begin),
        }
    }

    /// The contents of a str.
    pub fn text(&self, text: usize, memory: &impl Memory) -> Option<String> {
        let characters = self.characters(text, memory)?;
        (0..characters.length).map(|at| characters.get(at, memory)).collect()
    }

    #[inline(always)]
    fn characters(&self, text: usize, memory: &impl Memory) -> Option<Characters> {
        let state = half(text + TEXT_STATE, memory)?;
        // From bit 2 on: bytes of a character (3 bits), whether the characters follow the header (1), whether all are
        // ASCII (1).
        let (bytes, follow, is_ascii) = (state >> 2 & 7, state >> 5 & 1, state >> 6 & 1);
        if follow == 0 {
            return None;
        }
        let begin = text + if is_ascii == 1 { self.ascii } else { self.characters };
        Some(Characters { begin, length: memory.word(text + LENGTH)?, bytes })
    }
}

/// The characters of a str; `begin` is aligned to a word.
struct Characters {
    begin: usize,
    length: usize,
    /// Bytes of one character.
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
