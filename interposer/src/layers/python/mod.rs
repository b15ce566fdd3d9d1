//! Call sites in Python: all calls that mpi4py makes of a function come from one place in mpi4py, so the line of Python
//! that is being executed is the call site.
//!
//! In: the interpreter's frames of this thread. mpi4py releases the GIL before it calls MPI, so the interpreter cannot
//! be asked; the frames are read straight from memory, which is safe since only this thread changes them. Out: a number
//! for the place, on the straight line; its file, line and function when the number is new.
//!
//! The structures differ by version ([`layout`]). Before the straight line follows their pointers, they are followed
//! once by checked reads, and must lead to objects of the right types.

mod interpreter_memory;
mod layout;

use std::ffi::{CStr, c_char, c_int};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use traces::definitions::SourcePlace;

use crate::function::Function;
use crate::old_libc;
use crate::recorder::guard;
use crate::recorder::process::path_limit;
use interpreter_memory::{CheckedMemory, Memory, Trusted};
use layout::{Layout, PythonFrame, path_number, type_of};

/// A symbol that only mpi4py's module defines.
pub const PROOF: &CStr = c"PyInit_MPI";

/// The addresses where mpi4py's module begins and ends.
static BEGIN: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

/// Sets the memory of mpi4py's module.
pub fn found(range: Range<usize>) {
    BEGIN.store(range.start, Relaxed);
    END.store(range.end, Relaxed);
}

/// True if an address is in mpi4py's module.
pub fn holds(address: usize) -> bool {
    (BEGIN.load(Relaxed)..END.load(Relaxed)).contains(&address)
}

type ThisThread = unsafe extern "C" fn() -> usize;
type Line = unsafe extern "C" fn(usize, c_int) -> c_int;

/// An interpreter whose structures have the layout of its version.
struct Interpreter {
    layout: &'static Layout,
    /// The address of `PyCode_Type`.
    code_type: usize,
    /// `PyGILState_GetThisThreadState`, which may be called without the GIL.
    thread: ThisThread,
    /// `PyCode_Addr2Line`, which only reads the code object.
    line: Line,
}

/// The inner `None`: there is an interpreter, but its structures cannot be read.
static INTERPRETER: OnceLock<Option<Interpreter>> = OnceLock::new();

/// The number of the place that this thread executes, with those that have called it if paths are recorded; it has 47
/// bits, as addresses have. `None` if the thread executes no Python, or the interpreter's structures cannot be read.
#[inline(always)]
pub fn here() -> Option<u64> {
    let interpreter = match INTERPRETER.get() {
        Some(interpreter) => interpreter.as_ref()?,
        None => find()?,
    };
    interpreter.here()
}

/// File, line and function of a place that [`here`] has numbered and that this thread is still at. Calls that the
/// interpreter makes when it ends come from no line, and get a place without a file.
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

/// A place of a path in Python.
pub struct PathPlace {
    /// Its own number.
    pub number: u64,
    /// File, line and function, of no site yet.
    pub place: SourcePlace,
}

/// The places of the path that [`here`] has numbered and that this thread is still at, the innermost first.
pub fn path(number: u64) -> Option<Vec<PathPlace>> {
    let interpreter = INTERPRETER.get()?.as_ref()?;
    if interpreter.here() != Some(number) {
        return None;
    }
    let mut path = Vec::new();
    // SAFETY: as in `find`.
    let thread = unsafe { (interpreter.thread)() };
    let memory = interpreter.memory();
    for frame in interpreter.layout.frames(thread, interpreter.code_type, &memory).take(path_limit::frames()) {
        let place = interpreter.place(0, &frame)?;
        // The line that imports counts as the caller of the code that the import runs.
        if !imports(&place.file) {
            path.push(PathPlace { number: frame.number(), place });
        }
    }
    Some(path)
}

/// The function shown for calls that the interpreter makes when it ends.
const EXIT: &str = "(interpreter exit)";

/// True if a file's code runs as part of an import: its calls are attributed to the line that imports.
fn imports(file: &str) -> bool {
    file.starts_with("<frozen importlib") || file.ends_with("/mpi4py/__init__.py")
}

/// True if an address is in the interpreter's own object. mpi4py's function for the interpreter's exit may reach MPI by
/// a tail call, and the call then seems to come from the interpreter.
fn is_interpreters(there: usize) -> bool {
    let own = address("Py_IsInitialized").and_then(old_libc::object_at);
    own.is_some_and(|object| object.contains(&there))
}

/// True if mpi4py is loaded and the interpreter has shut down.
fn has_ended() -> bool {
    if BEGIN.load(Relaxed) == 0 {
        return false;
    }
    type IsInitialized = unsafe extern "C" fn() -> c_int;
    // SAFETY: the function's type, as Python documents it; it may be called at any time.
    unsafe { exported::<IsInitialized>("Py_IsInitialized").is_some_and(|is_initialized| is_initialized() == 0) }
}

/// Looks for an interpreter that knows this thread.
#[cold]
fn find() -> Option<&'static Interpreter> {
    let found = guard::run(|| {
        // SAFETY: the function's type, as Python documents it.
        let thread = unsafe { exported::<ThisThread>("PyGILState_GetThisThreadState") }?;
        // SAFETY: it takes nothing, and may be called at any time.
        let known = unsafe { thread() } != 0;
        known.then(|| INTERPRETER.get_or_init(|| Interpreter::new(thread)).as_ref()).flatten()
    });
    found.flatten()
}

impl Interpreter {
    /// The interpreter, if this thread's frame is found where its version has it.
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
    fn here(&self) -> Option<u64> {
        let most = path_limit::frames();
        if most == 0 {
            return self.current_frame().map(|at| at.number());
        }
        // SAFETY: as in `find`.
        let thread = unsafe { (self.thread)() };
        let memory = self.memory();
        let frames = self.layout.frames(thread, self.code_type, &memory).take(most);
        frames.map(|frame| frame.number()).reduce(path_number)
    }

    #[inline(always)]
    fn current_frame(&self) -> Option<PythonFrame> {
        // SAFETY: as in `find`.
        let thread = unsafe { (self.thread)() };
        self.layout.current_frame(thread, self.code_type, &self.memory())
    }

    /// The line whose import runs the code that this thread executes.
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
        // SAFETY: `new` has checked the layout.
        unsafe { Trusted::new() }
    }
}

/// A function that the interpreter exports.
///
/// # Safety
/// `F` must be the function's type.
unsafe fn exported<F: Copy>(name: &'static str) -> Option<F> {
    // SAFETY: by the contract.
    unsafe { Function::first(name) }.found()
}

/// The address of a symbol that the interpreter exports.
fn address(name: &'static str) -> Option<usize> {
    // SAFETY: the result is an address, and is not called.
    unsafe { exported(name) }
}

/// The interpreter's version, such as `3.11.7 (main, ...`.
fn version() -> Option<String> {
    type GetVersion = unsafe extern "C" fn() -> *const c_char;
    // SAFETY: the function's type, as Python documents it; the text is constant.
    unsafe {
        let version = exported::<GetVersion>("Py_GetVersion")?;
        Some(CStr::from_ptr(version()).to_string_lossy().into_owned())
    }
}
