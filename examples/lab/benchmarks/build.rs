//! Links the programs so that they find the MPI they were built for, wherever that is installed.

fn main() {
    println!("cargo:rerun-if-env-changed=MPI_LIBRARIES");
    if let Ok(folder) = std::env::var("MPI_LIBRARIES") {
        println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{folder}");
    }
}
