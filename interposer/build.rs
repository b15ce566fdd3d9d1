//! Links the unwinder in: the library depends on nothing but libc.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg-cdylib=-Wl,--push-state,--whole-archive,-Bstatic,-lgcc_eh,--pop-state");
    // The addresses of wrappers are those of ours, also where another tool's functions of these names come first.
    println!("cargo:rustc-link-arg-cdylib=-Wl,-Bsymbolic-functions");
    // Threads keep pointers into the library, so it must never be unloaded.
    println!("cargo:rustc-link-arg-cdylib=-Wl,-z,nodelete");
}
