//! Python: all of mpi4py's calls of a function come from one place in it, so the line of Python being executed stands for
//! the call site.
//!
//! In: the interpreter's account of what this thread executes. mpi4py gives up the right to ask the interpreter (the GIL)
//! before it calls MPI, so the account is read where it lies in memory; it is this thread that changes it, and nobody else.
//! Out: a number for the place on the straight line; its file, line and function when it is met for the first time.
//!
//! What lies where differs by version ([`layout`]). Before the straight line follows pointers, they are followed once by
//! reads that fail where nothing is mapped, and have to lead to objects of the right types.

mod layout;
mod memory;

use std::ffi::{CStr, c_char, c_int};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use traces::definitions::SourcePlace;

use crate::function::Function;
use crate::recorder::guard;
use crate::symbol;
use layout::{Layout, PythonFrame, type_of};
use memory::{CheckedMemory, Memory, Trusted};

/// What only mpi4py's module defines.
pub const PROOF: &CStr = c"PyInit_MPI";

/// Where it lies.
static BEGIN: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

/// The module lies there.
pub fn found(range: Range<usize>) {
    BEGIN.store(range.start, Relaxed);
    END.store(range.end, Relaxed);
}

/// Whether an address is in it.
pub fn holds(address: usize) -> bool {
    (BEGIN.load(Relaxed)..END.load(Relaxed)).contains(&address)
}

type ThisThread = unsafe extern "C" fn() -> usize;
type Line = unsafe extern "C" fn(usize, c_int) -> c_int;

/// An interpreter that keeps its account as its version does.
struct Interpreter {
    layout: &'static Layout,
    /// The address of `PyCode_Type`.
    code_type: usize,
    /// `PyGILState_GetThisThreadState`, which may be asked without the GIL.
    thread: ThisThread,
    /// `PyCode_Addr2Line`, which only reads the code object.
    line: Line,
}

/// `None` inside: there is one whose account cannot be read.
static INTERPRETER: OnceLock<Option<Interpreter>> = OnceLock::new();

/// The number of the place that this thread executes; like addresses, it has 47 bits. `None` where the thread executes no
/// Python, or the interpreter's account cannot be read.
#[inline(always)]
pub fn here() -> Option<u64> {
    let interpreter = match INTERPRETER.get() {
        Some(interpreter) => interpreter.as_ref()?,
        None => find()?,
    };
    interpreter.current_frame().map(|at| at.number())
}

/// What a place is in words: one that [`here`] has given this thread the number of, and that it is still at; or one in mpi4py
/// itself, which the interpreter calls when it ends.
pub fn describe(site: u32, number: u64) -> Option<SourcePlace> {
    if has_ended() && (holds(number as usize) || is_interpreters(number as usize)) {
        return Some(SourcePlace { site, file: String::new(), line: 0, function: EXIT.into() });
    }
    let interpreter = INTERPRETER.get()?.as_ref()?;
    let at = interpreter.current_frame().filter(|at| at.number() == number)?;
    match interpreter.place(site, &at)? {
        place if imports(&place.file) => interpreter.importer(site).or(Some(place)),
        place => Some(place),
    }
}

/// Where calls are made that the interpreter makes when it ends.
const EXIT: &str = "(interpreter exit)";

/// Whether what runs a file's code is an import: what that calls is called by the line that imports.
fn imports(file: &str) -> bool {
    file.starts_with("<frozen importlib") || file.ends_with("/mpi4py/__init__.py")
}

/// Whether an address is in the object that the interpreter is in: what mpi4py leaves to be called at the end may go on to MPI
/// without a frame of its own.
fn is_interpreters(there: usize) -> bool {
    let base = |address| symbol::definer(address).map(|(_, base)| base);
    address("Py_IsInitialized").and_then(base).is_some_and(|own| base(there) == Some(own))
}

/// Whether there is mpi4py, and its interpreter has taken itself down.
fn has_ended() -> bool {
    if BEGIN.load(Relaxed) == 0 {
        return false;
    }
    type IsInitialized = unsafe extern "C" fn() -> c_int;
    // SAFETY: the function's type, as Python documents it; it may be asked at any time.
    unsafe { exported::<IsInitialized>("Py_IsInitialized").is_some_and(|is_initialized| is_initialized() == 0) }
}

/// Looks for an interpreter that knows this thread.
#[cold]
fn find() -> Option<&'static Interpreter> {
    let found = guard::run(|| {
        // SAFETY: the function's type, as Python documents it.
        let thread = unsafe { exported::<ThisThread>("PyGILState_GetThisThreadState") }?;
        // SAFETY: it takes nothing, and may always be asked.
        let known = unsafe { thread() } != 0;
        known.then(|| INTERPRETER.get_or_init(|| Interpreter::new(thread)).as_ref()).flatten()
    });
    found.flatten()
}

impl Interpreter {
    /// The interpreter, if what this thread executes is found where its version has it.
    fn new(thread: ThisThread) -> Option<Interpreter> {
        let code_type = address("PyCode_Type")?;
        // SAFETY: the function's type, as Python documents it.
        let line = unsafe { exported::<Line>("PyCode_Addr2Line") }?;
        let interpreter = Interpreter { layout: Layout::of(&version()?)?, code_type, thread, line };
        interpreter.is_as_expected().then_some(interpreter)
    }

    fn is_as_expected(&self) -> bool {
        let (layout, Some(memory), Some(text_type)) = (self.layout, CheckedMemory::open(), address("PyUnicode_Type"))
        else {
            return false;
        };
        // SAFETY: as in `find`.
        let at = layout.current_frame(unsafe { (self.thread)() }, self.code_type, &memory);
        let is_text = |place| type_of(memory.word(place)?, &memory).filter(|found| *found == text_type);
        at.is_some_and(|at| {
            let texts = is_text(at.code + layout.file).and(is_text(at.code + layout.function));
            texts.and(layout.offset(&at, &memory)).is_some()
        })
    }

    #[inline(always)]
    fn current_frame(&self) -> Option<PythonFrame> {
        // SAFETY: as in `find`.
        let thread = unsafe { (self.thread)() };
        self.layout.current_frame(thread, self.code_type, &self.memory())
    }

    /// The line that imports what this thread executes.
    fn importer(&self, site: u32) -> Option<SourcePlace> {
        let memory = CheckedMemory::open()?;
        // SAFETY: as in `find`.
        let frames = self.layout.frames(unsafe { (self.thread)() }, self.code_type, &memory);
        frames.filter_map(|at| self.place(site, &at)).find(|place| !imports(&place.file))
    }

    fn place(&self, site: u32, at: &PythonFrame) -> Option<SourcePlace> {
        let (layout, memory) = (self.layout, self.memory());
        let offset = layout.offset(at, &memory)?;
        // SAFETY: the code object is being executed, and the offset lies in it.
        let line = unsafe { (self.line)(at.code, offset as c_int) };
        Some(SourcePlace {
            site,
            file: layout.text(memory.word(at.code + layout.file)?, &memory)?,
            line: u32::try_from(line).unwrap_or(0),
            function: layout.text(memory.word(at.code + layout.function)?, &memory)?,
        })
    }

    #[inline(always)]
    fn memory(&self) -> Trusted {
        // SAFETY: an interpreter is made only where its layout was found to be right.
        unsafe { Trusted::new() }
    }
}

/// What the interpreter exports under a name.
///
/// # Safety
/// The name is that of a function, and `F` its type.
unsafe fn exported<F: Copy>(name: &'static str) -> Option<F> {
    // SAFETY: by the contract.
    unsafe { Function::first(name) }.found()
}

/// The address of something that the interpreter exports.
fn address(name: &'static str) -> Option<usize> {
    // SAFETY: an address is nobody's to call.
    unsafe { exported(name) }
}

/// The interpreter's version, as `3.11.7 (main, ...`.
fn version() -> Option<String> {
    type GetVersion = unsafe extern "C" fn() -> *const c_char;
    // SAFETY: the function's type, as Python documents it; the text is constant.
    unsafe {
        let version = exported::<GetVersion>("Py_GetVersion")?;
        Some(CStr::from_ptr(version()).to_string_lossy().into_owned())
    }
}
