//! Unwinds the stack of the calling thread by the unwind information of the code that runs there (DWARF in
//! `.eh_frame`).
//!
//! It takes no lock of the loader if the C library has `_dl_find_object`, and reads only memory that is mapped.
//! Unwinding ends at code without unwind information: nothing is guessed.

mod memory;
mod registers;

use std::ops::Range;

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, Evaluation, EvaluationResult, EvaluationStorage,
    NativeEndian, Piece, Pointer, RegisterRule, UnwindContext, UnwindContextStorage, UnwindExpression, UnwindSection,
    UnwindTableRow, Value,
};

use crate::old_libc;
use memory::StackMemory;
pub use registers::Registers;
use registers::{Register, is_return_address, is_stack_pointer};

type Slice = EndianSlice<'static, NativeEndian>;

/// Memory for one step of unwinding, so that a step takes none from the program.
pub struct Room(UnwindContext<usize, Room>);

/// `__restore_rt` has a rule for each of seventeen registers; functions have at most eight on x86-64, twenty on aarch64.
const RULES: usize = 40;

impl UnwindContextStorage<usize> for Room {
    type Rules = [(gimli::Register, RegisterRule<usize>); RULES];
    type Stack = [UnwindTableRow<usize, Room>; 4];
}

struct ExpressionRoom;

impl EvaluationStorage<Slice> for ExpressionRoom {
    type Stack = [Value; 16];
    type ExpressionStack = [(Slice, Slice); 1];
    type Result = [Piece<Slice>; 1];
}

/// A function on the stack that waits for another to return.
#[derive(Clone, Copy, Debug)]
pub struct StackFrame {
    /// The address to which the other function returns.
    pub address: usize,
    /// The word of the stack that holds this address.
    pub at: usize,
    /// True if `at` follows from the word below and the code alone: the function between them has a frame of fixed size.
    pub is_fixed: bool,
    /// True if a signal interrupted the function here: it has not called the function below.
    pub is_interrupted: bool,
}

/// The reason why there is no further frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WayEnd {
    /// The program or the thread begins here.
    Start,
    /// The code has no unwind information, or wrong information.
    NoUnwindInformation,
    /// The visitor wanted no further frame.
    Stopped,
}

impl Room {
    pub fn new() -> Room {
        Room(UnwindContext::new_in())
    }
}

/// Visits the frames above the caller of this function, the innermost first, as long as `visit` returns true. `stack`
/// is the thread's own stack; empty if that is unknown.
#[inline(never)]
pub fn visit(room: &mut Room, stack: Range<usize>, visit: impl FnMut(StackFrame) -> bool) -> WayEnd {
    visit_from(room, Registers::here(), stack, old_libc::unwind_table_at, visit)
}

/// Like [`visit`], for the frames above the function with these registers and address. `table_at` returns the memory of
/// the object at an address, and the address of that object's table of unwind information.
pub fn visit_from(
    room: &mut Room,
    (mut registers, mut address): (Registers, usize),
    stack: Range<usize>,
    table_at: impl Fn(usize) -> Option<(Range<usize>, usize)>,
    mut visit: impl FnMut(StackFrame) -> bool,
) -> WayEnd {
    let used = registers.stack_pointer()..stack.end;
    let memory = StackMemory { stack: if stack.contains(&used.start) { used } else { stack } };
    // An address that a call returns to may be the next function's first.
    let mut is_exact = true;
    loop {
        let lookup = if is_exact { address } else { address - 1 };
        let before = registers.stack_pointer();
        let step = table_at(lookup).and_then(|table| step(room, &mut registers, lookup, table, &memory));
        let Some(step) = step else { return WayEnd::NoUnwindInformation };
        let Step::To { is_fixed, is_interrupted } = step else { return WayEnd::Start };
        let found = registers.return_address();
        if found.value == 0 {
            return WayEnd::Start;
        }
        // The stack grows downward; only a signal may have come in on another stack, and on aarch64 the function that runs may have no frame.
        let least = if is_exact { before } else { before + 1 };
        if registers.stack_pointer() < least && !is_interrupted {
            return WayEnd::NoUnwindInformation;
        }
        (address, is_exact) = (found.value, is_interrupted);
        if !visit(StackFrame { address, at: found.at, is_fixed, is_interrupted }) {
            return WayEnd::Stopped;
        }
    }
}

enum Step {
    To {
        is_fixed: bool,
        /// The function was interrupted by a signal, rather than having called another.
        is_interrupted: bool,
    },
    /// The unwind information says that the function has no caller.
    Outermost,
}

/// Turns the registers of the function at an address into those of its caller; `None` if it is unknown how.
fn step(
    room: &mut Room,
    registers: &mut Registers,
    address: usize,
    (object, table): (Range<usize>, usize),
    memory: &StackMemory,
) -> Option<Step> {
    let bytes = |from: usize| slice(from..object.end);
    let bases = BaseAddresses::default().set_eh_frame_hdr(table as u64);
    let header = EhFrameHdr::new(bytes(table)?, NativeEndian).parse(&bases, size_of::<usize>() as u8).ok()?;
    let Pointer::Direct(section) = header.eh_frame_ptr() else { return None };
    let bases = bases.set_eh_frame(section);
    let frames = EhFrame::new(bytes(section as usize)?, NativeEndian);
    let entry = header.table()?.fde_for_address(&frames, &bases, address as u64, EhFrame::cie_from_offset).ok()?;
    let row = entry.unwind_info_for_address(&frames, &bases, &mut room.0, address as u64).ok()?;
    let callee = Callee { registers: *registers, frames: &frames, encoding: entry.cie().encoding(), memory };
    let frame = match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => {
            callee.registers.get(*register)?.value.wrapping_add_signed(*offset as isize)
        }
        CfaRule::Expression(expression) => callee.evaluate(expression, None)?,
    };
    let is_fixed = matches!(row.cfa(), CfaRule::RegisterAndOffset { register, .. } if is_stack_pointer(*register));
    registers.set_stack_pointer(frame);
    for (number, rule) in row.registers() {
        if is_return_address(*number) && *rule == RegisterRule::Undefined {
            return Some(Step::Outermost);
        }
        if let Some(value) = callee.restored(*number, rule, frame)? {
            registers.set(*number, value);
        }
    }
    Some(Step::To { is_fixed, is_interrupted: entry.is_signal_trampoline() })
}

/// A function, with the data to restore its caller's registers.
struct Callee<'a> {
    registers: Registers,
    frames: &'a EhFrame<Slice>,
    encoding: gimli::Encoding,
    memory: &'a StackMemory,
}

impl Callee<'_> {
    /// The caller's register by its rule, `Some(None)` if it is the callee's or unknown; `None` if the rule cannot be followed.
    fn restored(&self, number: gimli::Register, rule: &RegisterRule<usize>, frame: usize) -> Option<Option<Register>> {
        let saved = |at: usize| Some(Register { value: self.memory.word(at)?, at });
        let known = |value: usize| Register { value, at: 0 };
        let restored = match rule {
            RegisterRule::Offset(offset) => saved(frame.wrapping_add_signed(*offset as isize))?,
            RegisterRule::ValOffset(offset) => known(frame.wrapping_add_signed(*offset as isize)),
            RegisterRule::Register(other) => self.registers.get(*other)?,
            RegisterRule::Expression(expression) => saved(self.evaluate(expression, Some(frame))?)?,
            RegisterRule::ValExpression(expression) => known(self.evaluate(expression, Some(frame))?),
            RegisterRule::Constant(value) => known(*value as usize),
            RegisterRule::Undefined | RegisterRule::SameValue => return Some(None),
            // On aarch64: the return address is signed, unlike the addresses that it is compared with.
            _ if is_return_address(number) => return None,
            _ => return Some(None),
        };
        Some(Some(restored))
    }

    fn evaluate(&self, expression: &UnwindExpression<usize>, initial: Option<usize>) -> Option<usize> {
        let code = expression.get(self.frames).ok()?.0;
        let mut evaluation = Evaluation::<Slice, ExpressionRoom>::new_in(code, self.encoding);
        evaluation.set_max_iterations(256);
        if let Some(initial) = initial {
            evaluation.set_initial_value(initial as u64);
        }
        let mut result = evaluation.evaluate().ok()?;
        loop {
            result = match result {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresMemory { address, size, .. } => {
                    let word =
                        self.memory.word(address as usize).filter(|_| usize::from(size) == size_of::<usize>())?;
                    evaluation.resume_with_memory(Value::Generic(word as u64)).ok()?
                }
                EvaluationResult::RequiresRegister { register, .. } => {
                    let value = self.registers.get(register)?.value;
                    evaluation.resume_with_register(Value::Generic(value as u64)).ok()?
                }
                _ => return None,
            };
        }
        evaluation.value_result()?.to_u64(u64::MAX).ok().map(|value| value as usize)
    }
}

/// Bytes of a loaded object.
fn slice(range: Range<usize>) -> Option<&'static [u8]> {
    if range.is_empty() {
        return None;
    }
    // SAFETY: the object is loaded as long as its code is on the stack, and only its unwind tables are read, which lie
    // in one segment. No code writes them.
    Some(unsafe { std::slice::from_raw_parts(range.start as *const u8, range.len()) })
}
