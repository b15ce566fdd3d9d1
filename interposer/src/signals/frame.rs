//! The frame of a signal, which the kernel has put on a stack of ours, and its move to the program's.
//!
//! The kernel writes registers, mask and information below the upper end of the alternate stack, and finds them again by the stack pointer
//! as the handler returns. So the frame may be anywhere: moved to where the kernel would have put it without us, it leaves our stack
//! empty, whatever the handler does.

#[cfg(target_arch = "x86_64")]
use std::ffi::c_int;

use super::words::SignalWords;

/// Bytes below the stack pointer that functions use without moving it.
#[cfg(target_arch = "x86_64")]
const RED_ZONE: usize = 128;
#[cfg(target_arch = "aarch64")]
const RED_ZONE: usize = 0;

/// The strictest alignment of what is in a frame.
const ALIGNMENT: usize = 64;

/// Moves a frame from our stack to the program's: its alternate stack, if that is meant, or the stack that was interrupted. Returns by how
/// many bytes.
///
/// # Safety
/// `frame` must be the frame of a signal handler that has just been entered, and `context` the one in it.
pub unsafe fn move_to_program(
    words: &SignalWords,
    frame: usize,
    context: *const libc::ucontext_t,
    is_alternate: bool,
) -> isize {
    // SAFETY: by the contract.
    let interrupted = unsafe { stack_pointer(context) };
    let (own, program) = (words.own_stack(), words.program_stack());
    // What comes while another frame is being moved stays.
    if !own.contains(&frame) || own.contains(&interrupted) {
        return 0;
    }
    let is_entered = is_alternate && !program.is_empty() && !program.contains(&interrupted);
    let end = if is_entered { program.end } else { interrupted - RED_ZONE } / ALIGNMENT * ALIGNMENT;
    let shift = end.wrapping_sub(own.end) as isize;
    let moved = frame.wrapping_add_signed(shift);
    if is_entered && moved < program.start {
        // The kernel would end the process here.
        return 0;
    }
    // SAFETY: the kernel has filled our stack from here to its end, and would have written there without us.
    unsafe {
        std::ptr::copy_nonoverlapping(frame as *const u8, moved as *mut u8, own.end - frame);
        move_pointers(context.byte_offset(shift).cast_mut(), shift);
    }
    shift
}

#[cfg(target_arch = "x86_64")]
unsafe fn register(context: *const libc::ucontext_t, number: c_int) -> usize {
    // SAFETY: by the caller's promise.
    unsafe { (&raw const (*context).uc_mcontext.gregs).cast::<usize>().add(number as usize).read() }
}

/// The stack pointer of the code that was interrupted.
///
/// # Safety
/// The context must be a signal handler's.
#[cfg(target_arch = "x86_64")]
pub unsafe fn stack_pointer(context: *const libc::ucontext_t) -> usize {
    // SAFETY: by the contract.
    unsafe { register(context, libc::REG_RSP) }
}

/// The address of the code that was interrupted.
///
/// # Safety
/// The context must be a signal handler's.
#[cfg(target_arch = "x86_64")]
pub unsafe fn address(context: *const libc::ucontext_t) -> usize {
    // SAFETY: by the contract.
    unsafe { register(context, libc::REG_RIP) }
}

/// Moves the pointers of a frame into itself: here the one to the floating-point state.
///
/// # Safety
/// The context must be in a frame that was moved by so many bytes.
#[cfg(target_arch = "x86_64")]
unsafe fn move_pointers(context: *mut libc::ucontext_t, shift: isize) {
    // SAFETY: by the contract.
    unsafe {
        let state = &mut (*context).uc_mcontext.fpregs;
        if !state.is_null() {
            *state = state.wrapping_byte_offset(shift);
        }
    }
}

/// The stack pointer of the code that was interrupted.
///
/// # Safety
/// The context must be a signal handler's.
#[cfg(target_arch = "aarch64")]
pub unsafe fn stack_pointer(context: *const libc::ucontext_t) -> usize {
    // SAFETY: by the contract.
    unsafe { (*context).uc_mcontext.sp as usize }
}

/// The address of the code that was interrupted.
///
/// # Safety
/// The context must be a signal handler's.
#[cfg(target_arch = "aarch64")]
pub unsafe fn address(context: *const libc::ucontext_t) -> usize {
    // SAFETY: by the contract.
    unsafe { (*context).uc_mcontext.pc as usize }
}

/// Moves the pointers of a frame into itself: here the one to registers that the context has no room for.
///
/// # Safety
/// The context must be in a frame that was moved by so many bytes.
#[cfg(target_arch = "aarch64")]
unsafe fn move_pointers(context: *mut libc::ucontext_t, shift: isize) {
    /// Records of magic number, size and content follow the registers (asm/sigcontext.h); this one points further.
    const EXTRA: u32 = 0x4558_5401;
    /// The fault's address, 31 registers, stack pointer, program counter and state, to the next multiple of 16.
    const RECORDS: usize = 288;
    // SAFETY: by the contract; a record of zeros is the last.
    unsafe {
        let mut record = (&raw mut (*context).uc_mcontext).byte_add(RECORDS).cast::<u32>();
        while *record != 0 && *record.add(1) != 0 {
            if *record == EXTRA {
                let data = record.add(2).cast::<u64>();
                *data = (*data).wrapping_add_signed(shift as i64);
            }
            record = record.byte_add(*record.add(1) as usize);
        }
    }
}
