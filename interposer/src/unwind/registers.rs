//! The registers that unwinding needs, by their numbers in DWARF, and where on the stack each was found.

use std::arch::asm;

#[cfg(target_arch = "x86_64")]
pub const STACK_POINTER: usize = 7;
#[cfg(target_arch = "x86_64")]
const RETURN_ADDRESS: usize = 16;
#[cfg(target_arch = "x86_64")]
pub const COUNT: usize = 17;

#[cfg(target_arch = "aarch64")]
pub const STACK_POINTER: usize = 31;
#[cfg(target_arch = "aarch64")]
const RETURN_ADDRESS: usize = 30;
#[cfg(target_arch = "aarch64")]
pub const COUNT: usize = 32;

#[derive(Clone, Copy, Default)]
pub struct Register {
    pub value: usize,
    /// The address of the word that the value was read from; 0 if it was in the register all the time.
    pub at: usize,
}

#[derive(Clone, Copy)]
pub struct Registers([Register; COUNT]);

impl Registers {
    /// The calling function's registers, and an address in it.
    #[inline(always)]
    pub fn here() -> (Registers, usize) {
        let mut values = [0usize; COUNT];
        let here: usize;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: stores the registers that calls preserve, and the stack pointer.
        unsafe {
            asm!(
                "mov [{values} + 3 * 8], rbx",
                "mov [{values} + 6 * 8], rbp",
                "mov [{values} + 7 * 8], rsp",
                "mov [{values} + 12 * 8], r12",
                "mov [{values} + 13 * 8], r13",
                "mov [{values} + 14 * 8], r14",
                "mov [{values} + 15 * 8], r15",
                "lea {here}, [rip]",
                values = in(reg) values.as_mut_ptr(),
                here = lateout(reg) here,
                options(nostack, preserves_flags),
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: as above.
        unsafe {
            asm!(
                "stp x19, x20, [{values}, #19 * 8]",
                "stp x21, x22, [{values}, #21 * 8]",
                "stp x23, x24, [{values}, #23 * 8]",
                "stp x25, x26, [{values}, #25 * 8]",
                "stp x27, x28, [{values}, #27 * 8]",
                "stp x29, x30, [{values}, #29 * 8]",
                "mov {here}, sp",
                "str {here}, [{values}, #31 * 8]",
                "adr {here}, .",
                values = in(reg) values.as_mut_ptr(),
                here = out(reg) here,
                options(nostack, preserves_flags),
            );
        }
        (Registers(values.map(|value| Register { value, at: 0 })), here)
    }

    /// The registers of the code that a signal has interrupted, and its address.
    #[cfg(target_arch = "x86_64")]
    pub fn interrupted(context: &libc::ucontext_t) -> (Registers, usize) {
        use libc::{REG_R8, REG_RAX, REG_RBP, REG_RBX, REG_RCX, REG_RDI, REG_RDX, REG_RIP, REG_RSI, REG_RSP};
        let general = &context.uc_mcontext.gregs;
        let numbers = [REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP];
        let value = |number: i32| general.get(number as usize).map_or(0, |value| *value as usize);
        let mut registers = Registers([Register::default(); COUNT]);
        for (register, number) in
            registers.0.iter_mut().zip(numbers.into_iter().chain(REG_R8..REG_R8 + 8).chain([REG_RIP]))
        {
            register.value = value(number);
        }
        (registers, value(REG_RIP))
    }

    #[cfg(target_arch = "aarch64")]
    pub fn interrupted(context: &libc::ucontext_t) -> (Registers, usize) {
        let machine = &context.uc_mcontext;
        let mut registers = Registers([Register::default(); COUNT]);
        for (register, value) in registers.0.iter_mut().zip(machine.regs) {
            *register = Register { value: value as usize, at: 0 };
        }
        registers.set_stack_pointer(machine.sp as usize);
        (registers, machine.pc as usize)
    }

    /// A register by its number in DWARF; `None` for one that unwinding does not follow.
    pub fn get(&self, number: gimli::Register) -> Option<Register> {
        self.0.get(usize::from(number.0)).copied()
    }

    pub fn set(&mut self, number: gimli::Register, register: Register) {
        if let Some(own) = self.0.get_mut(usize::from(number.0)) {
            *own = register;
        }
    }

    pub fn stack_pointer(&self) -> usize {
        self.0[STACK_POINTER].value
    }

    pub fn set_stack_pointer(&mut self, value: usize) {
        self.0[STACK_POINTER] = Register { value, at: 0 };
    }

    pub fn return_address(&self) -> Register {
        self.0[RETURN_ADDRESS]
    }
}

/// The return address's number in DWARF.
pub const fn is_return_address(number: gimli::Register) -> bool {
    number.0 as usize == RETURN_ADDRESS
}

pub const fn is_stack_pointer(number: gimli::Register) -> bool {
    number.0 as usize == STACK_POINTER
}
