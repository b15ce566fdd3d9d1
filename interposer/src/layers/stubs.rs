//! Stubs: a few instructions each that note the caller and the function of a layer, and jump to the function.
//!
//! Their number is fixed at build time, since a process may not be allowed to generate code.

use std::arch::{asm, global_asm};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*};

use traces::calls::Call;
use traces::definitions::Language;

use crate::thread_words::thread_words;

/// More than a program needs: it links to fewer functions of MPI, and rarely by two bindings.
const STUBS: usize = 1024;
/// Distance between stubs in bytes; the code of each is shorter.
const SIZE: usize = 32;

/// The address that each stub jumps to.
static TARGETS: [AtomicUsize; STUBS] = [const { AtomicUsize::new(0) }; STUBS];
/// For stubs that share a target: the function that the target calls in turn.
static BEHIND: [AtomicUsize; STUBS] = [const { AtomicUsize::new(0) }; STUBS];
/// For each stub: the call's number, and the language in the upper half.
static MEANINGS: [AtomicU32; STUBS] = [const { AtomicU32::new(0) }; STUBS];
/// Number of stubs in use.
static USED: Mutex<usize> = Mutex::new(0);

// The last stub that this thread came through: its caller's return address, and its number.
thread_words!("overhear_noted", 16);

#[cfg(target_arch = "x86_64")]
global_asm!(
    ".p2align 5",
    "overhear_stubs:",
    ".set overhear_stub, 0",
    ".rept {stubs}",
    "mov r11, [rsp]",
    "mov r10, qword ptr [rip + overhear_noted@GOTTPOFF]",
    "mov fs:[r10], r11",
    "mov dword ptr fs:[r10 + 8], overhear_stub",
    "jmp qword ptr [rip + {targets} + 8 * overhear_stub]",
    ".p2align 5",
    ".set overhear_stub, overhear_stub + 1",
    ".endr",
    stubs = const STUBS,
    targets = sym TARGETS,
);

#[cfg(target_arch = "aarch64")]
global_asm!(
    ".p2align 5",
    "overhear_stubs:",
    ".set overhear_stub, 0",
    ".rept {stubs}",
    "mov w17, overhear_stub",
    "b overhear_stub_goes_on",
    ".p2align 5",
    ".set overhear_stub, overhear_stub + 1",
    ".endr",
    "overhear_stub_goes_on:",
    "mrs x15, tpidr_el0",
    "adrp x16, :gottprel:overhear_noted",
    "ldr x16, [x16, :gottprel_lo12:overhear_noted]",
    "add x16, x15, x16",
    "str x30, [x16]",
    "str w17, [x16, #8]",
    "adrp x16, {targets}",
    "add x16, x16, :lo12:{targets}",
    "ldr x16, [x16, x17, lsl #3]",
    "br x16",
    stubs = const STUBS,
    targets = sym TARGETS,
);

/// A call that went through a stub.
pub struct Noted {
    /// The return address in the program; 0 if nothing is noted.
    pub caller: usize,
    pub call: Call,
    pub language: Language,
}

/// The last call of this thread that went through a stub, unless [`forget`] came after it.
pub fn noted() -> Noted {
    // SAFETY: the words of this thread.
    let (caller, stub) = unsafe { (words().read(), words().add(1).read()) };
    let meaning = MEANINGS.get(stub as u32 as usize).map_or(0, |meaning| meaning.load(Relaxed));
    let languages = [Language::C, Language::Fortran, Language::Fortran2008];
    let language = languages.into_iter().find(|language| *language as u32 == meaning >> 16).unwrap_or(Language::C);
    Noted { caller, call: Call::from_number(meaning as u16).unwrap_or(Call::Init), language }
}

/// The function that the target of this thread's last stub must call.
pub fn behind() -> usize {
    // SAFETY: a word of this thread.
    let stub = unsafe { words().add(1).read() };
    BEHIND.get(stub as u32 as usize).map_or(0, |behind| behind.load(Relaxed))
}

/// Clears the noted call.
pub fn forget() {
    // SAFETY: a word of this thread.
    unsafe { words().write(0) };
}

/// The stub that jumps to `target`, a layer's function that stands for `call`. `None` if all stubs are in use.
pub fn stub_to(target: usize, call: Call, language: Language) -> Option<usize> {
    through(target, 0, call, language)
}

/// The stub that jumps to `target`, which serves several functions of layers and finds this one by [`behind`].
pub fn through(target: usize, behind: usize, call: Call, language: Language) -> Option<usize> {
    let meaning = call.number() as u32 | (language as u32) << 16;
    let mut used = USED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut stubs = TARGETS.iter().zip(&BEHIND).zip(&MEANINGS);
    let same = stubs.clone().take(*used).position(|((to, then), called_for)| {
        to.load(Relaxed) == target && then.load(Relaxed) == behind && called_for.load(Relaxed) == meaning
    });
    let at = same.or_else(|| {
        let new = *used;
        let ((to, then), called_for) = stubs.nth(new)?;
        to.store(target, Relaxed);
        then.store(behind, Relaxed);
        called_for.store(meaning, Release);
        *used += 1;
        Some(new)
    })?;
    Some(begin() + at * SIZE)
}

fn begin() -> usize {
    let begin: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: takes an address.
    unsafe {
        asm!("lea {0}, [rip + overhear_stubs]", out(reg) begin, options(pure, nomem, nostack, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        asm!(
            "adrp {0}, overhear_stubs",
            "add {0}, {0}, :lo12:overhear_stubs",
            out(reg) begin,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    begin
}
