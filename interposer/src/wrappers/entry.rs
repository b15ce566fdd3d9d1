//! The first instructions of a wrapper, in assembly: they add the place in the program as one more argument.
//!
//! If a register for arguments is free, the place goes there. Otherwise `inner` is called with two more words on the
//! stack, in front of the arguments that are already there: the place, and the return address, which lies there anyway.
//!
//! Before that, one comparison finds the functions that are not recorded, and jumps to MPI with the stack and all
//! registers as the program has left them.
//!
//! A wrapper has two kinds of entries. `entry!` is for a program that calls `MPI_X`: the place is the return address.
//! `layered!` is for objects between program and MPI, and asks [`layers`](crate::layers) for the place. It gets a
//! [`CallSite`](crate::call_site::CallSite)'s word, or 0 if the call is not the program's, which then jumps to MPI at
//! once.

/// Jumps to `inner` with the place; takes the names of the call's arguments, and the operand that holds the place.
#[cfg(target_arch = "x86_64")]
macro_rules! go_on {
    ([] $place:literal) => { go_on!(@register "rdi", $place) };
    ([$a:ident] $place:literal) => { go_on!(@register "rsi", $place) };
    ([$a:ident $b:ident] $place:literal) => { go_on!(@register "rdx", $place) };
    ([$a:ident $b:ident $c:ident] $place:literal) => { go_on!(@register "rcx", $place) };
    ([$a:ident $b:ident $c:ident $d:ident] $place:literal) => { go_on!(@register "r8", $place) };
    ([$a:ident $b:ident $c:ident $d:ident $e:ident] $place:literal) => { go_on!(@register "r9", $place) };
    ([$($more:ident)*] $place:literal) => {
        concat!(
            "push ", $place, "\n .cfi_adjust_cfa_offset 8\n call {inner}\n add rsp, 8\n .cfi_adjust_cfa_offset -8\n ret\n"
        )
    };
    (@register $register:literal, $place:literal) => {
        concat!("mov ", $register, ", ", $place, "\n jmp {inner}\n")
    };
}

/// Jumps to `2:` if the function is [`FORWARDED`](crate::recorder::process::recorded::FORWARDED).
#[cfg(target_arch = "x86_64")]
macro_rules! if_forwarded {
    () => {
        "cmp byte ptr [rip + {forwarded} + {place}], 0\n jne 2f\n"
    };
}

/// The label `2:`, which jumps to the function behind the wrapper.
#[cfg(target_arch = "x86_64")]
macro_rules! forward {
    () => {
        "2:\n jmp qword ptr [rip + {real} + {offset}]\n"
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! entry {
    ($arguments:tt) => {
        concat!(if_forwarded!(), go_on!($arguments "qword ptr [rsp]"), forward!())
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! layered {
    ($arguments:tt) => {
        concat!(
            if_forwarded!(),
            "mov eax, {number}\n call {ask}\n test rax, rax\n jz 2f\n",
            go_on!($arguments "rax"),
            forward!()
        )
    };
}

/// Called by `layered!`: saves the arguments while it asks for the place. It takes the question in `eax`, and returns
/// the place in `rax`.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn ask() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        ".cfi_adjust_cfa_offset 48",
        "mov edi, eax",
        // The layer's return address, after the pushed registers and the return address to `layered!`.
        "mov rsi, [rsp + 56]",
        "call {place}",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        ".cfi_adjust_cfa_offset -48",
        "ret",
        ".cfi_endproc",
        place = sym crate::layers::place,
    )
}

#[cfg(target_arch = "x86_64")]
macro_rules! inner {
    (fn($address:ident; $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $($stack:ident)*) -> $result:ty $body:block) => {
        inner!(@make ($a $b $c $d $e $f $address _return $($stack)*) -> $result $body);
    };
    (fn($address:ident; $($register:ident)*) -> $result:ty $body:block) => {
        inner!(@make ($($register)* $address) -> $result $body);
    };
    (@make ($($argument:ident)*) -> $result:ty $body:block) => {
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C-unwind" fn inner($($argument: usize),*) -> $result $body
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! go_on {
    ([] $place:literal) => { go_on!(@register "x0", $place) };
    ([$a:ident] $place:literal) => { go_on!(@register "x1", $place) };
    ([$a:ident $b:ident] $place:literal) => { go_on!(@register "x2", $place) };
    ([$a:ident $b:ident $c:ident] $place:literal) => { go_on!(@register "x3", $place) };
    ([$a:ident $b:ident $c:ident $d:ident] $place:literal) => { go_on!(@register "x4", $place) };
    ([$a:ident $b:ident $c:ident $d:ident $e:ident] $place:literal) => { go_on!(@register "x5", $place) };
    ([$a:ident $b:ident $c:ident $d:ident $e:ident $f:ident] $place:literal) => { go_on!(@register "x6", $place) };
    ([$a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident] $place:literal) => {
        go_on!(@register "x7", $place)
    };
    ([$($more:ident)*] $place:literal) => {
        concat!(
            "stp ", $place, ", x30, [sp, #-16]!\n .cfi_adjust_cfa_offset 16\n .cfi_offset 30, -8\n bl {inner}\n \
             ldr x30, [sp, #8]\n add sp, sp, #16\n .cfi_adjust_cfa_offset -16\n .cfi_restore 30\n ret\n"
        )
    };
    (@register $register:literal, $place:literal) => {
        concat!("mov ", $register, ", ", $place, "\n b {inner}\n")
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! if_forwarded {
    () => {
        "adrp x16, {forwarded}\n add x16, x16, :lo12:{forwarded}\n ldrb w16, [x16, {place}]\n cbnz w16, 2f\n"
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! forward {
    () => {
        "2:\n adrp x16, {real}\n add x16, x16, :lo12:{real}\n ldr x16, [x16, {offset}]\n br x16\n"
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! entry {
    ($arguments:tt) => {
        concat!(if_forwarded!(), go_on!($arguments "x30"), forward!())
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! layered {
    ($arguments:tt) => {
        concat!(
            if_forwarded!(),
            "movz w16, #({number} & 0xffff)\n movk w16, #({number} >> 16), lsl #16\n stp x29, x30, [sp, #-16]!\n .cfi_adjust_cfa_offset 16\n .cfi_offset 30, -8\n bl {ask}\n \
             ldp x29, x30, [sp], #16\n .cfi_adjust_cfa_offset -16\n .cfi_restore 30\n cbz x17, 2f\n",
            go_on!($arguments "x17"),
            forward!()
        )
    };
}

/// Called by `layered!`: saves the arguments while it asks for the place. It takes the question in `w16`, and returns
/// the place in `x17`.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn ask() {
    std::arch::naked_asm!(
        ".cfi_startproc",
        "stp x0, x1, [sp, #-80]!",
        "stp x2, x3, [sp, #16]",
        "stp x4, x5, [sp, #32]",
        "stp x6, x7, [sp, #48]",
        "str x30, [sp, #64]",
        ".cfi_adjust_cfa_offset 80",
        ".cfi_offset 30, -16",
        "mov w0, w16",
        // The layer's return address, which `layered!` has saved there.
        "ldr x1, [sp, #88]",
        "bl {place}",
        "mov x17, x0",
        "ldr x30, [sp, #64]",
        "ldp x6, x7, [sp, #48]",
        "ldp x4, x5, [sp, #32]",
        "ldp x2, x3, [sp, #16]",
        "ldp x0, x1, [sp], #80",
        ".cfi_adjust_cfa_offset -80",
        ".cfi_restore 30",
        "ret",
        ".cfi_endproc",
        place = sym crate::layers::place,
    )
}

#[cfg(target_arch = "aarch64")]
macro_rules! inner {
    (fn($address:ident; $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident $($stack:ident)*) -> $result:ty $body:block) => {
        inner!(@make ($a $b $c $d $e $f $g $h $address _return $($stack)*) -> $result $body);
    };
    (fn($address:ident; $($register:ident)*) -> $result:ty $body:block) => {
        inner!(@make ($($register)* $address) -> $result $body);
    };
    (@make ($($argument:ident)*) -> $result:ty $body:block) => {
        #[allow(clippy::too_many_arguments)]
        unsafe extern "C-unwind" fn inner($($argument: usize),*) -> $result $body
    };
}

pub(super) use {entry, forward, go_on, if_forwarded, inner, layered};
