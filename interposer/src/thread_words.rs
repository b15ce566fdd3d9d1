//! Thread-local words in the static TLS block. Stable Rust's thread_local! calls __tls_get_addr in a shared library,
//! which costs more than all the rest of finding a thread.

/// Reserves `bytes` zeroed bytes for each thread under a symbol, and defines a function `words` that returns their
/// address.
macro_rules! thread_words {
    ($symbol:literal, $bytes:literal) => {
        std::arch::global_asm!(
            ".section .tbss,\"awT\",@nobits",
            ".p2align 3",
            // Global, since another codegen unit may refer to it; hidden, since nothing outside may.
            concat!(".globl ", $symbol),
            concat!(".hidden ", $symbol),
            concat!(".type ", $symbol, ",@object"),
            concat!(".size ", $symbol, ",", $bytes),
            concat!($symbol, ":"),
            concat!(".zero ", $bytes),
            ".text",
        );

        fn words() -> *mut usize {
            let words: *mut usize;
            #[cfg(target_arch = "x86_64")]
            // SAFETY: reads the address of this thread's words.
            unsafe {
                std::arch::asm!(
                    "mov {0}, qword ptr fs:[0]",
                    concat!("add {0}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                    out(reg) words,
                    options(pure, readonly, nostack),
                );
            }
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            unsafe {
                std::arch::asm!(
                    "mrs {0}, tpidr_el0",
                    concat!("adrp {1}, :gottprel:", $symbol),
                    concat!("ldr {1}, [{1}, :gottprel_lo12:", $symbol, "]"),
                    "add {0}, {0}, {1}",
                    out(reg) words,
                    out(reg) _,
                    options(pure, readonly, nostack),
                );
            }
            words
        }
    };
}

pub(crate) use thread_words;
