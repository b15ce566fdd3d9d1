//! Every row of the table has the function's type in every installed `mpi.h`.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use crate::common::every_library;
use examples::conformance::callable::callable;
use examples::conformance::source::INCLUDE;
use examples::run::finish;
use examples::target;
use traces::calls::{Call, Returns};

#[test]
fn every_row_has_the_type_of_every_header() {
    for mpi in every_library().iter().filter(|mpi| mpi.built_as == mpi.name) {
        let declared = callable(mpi);
        assert!(declared.len() > 400, "{}: only {} functions", mpi.name, declared.len());
        let mut source = String::from(INCLUDE);
        for call in &declared {
            let (name, exact) = (call.mpi_name(), prototype(*call));
            // Some headers omit const, as MPI did before 3.0. It does not affect the calling convention.
            let plain = exact.replace("const ", "");
            writeln!(
                source,
                "_Static_assert(__builtin_types_compatible_p(__typeof__({name}), {exact}) || \
                 __builtin_types_compatible_p(__typeof__({name}), {plain}), \"{name}\");"
            )
            .unwrap();
        }
        let path = target().join("programs").join(format!("{}-types.c", mpi.name));
        fs::write(&path, source).unwrap();
        let mut compiler = Command::new(&mpi.compiler);
        compiler.args(["-std=gnu11", "-w", "-fsyntax-only", "-fmax-errors=0"]).arg(&path);
        mpi.set_environment(&mut compiler);
        let output = finish(&mut compiler);
        let wrong: Vec<_> = output.stderr.lines().filter(|line| line.contains("error")).collect();
        assert_eq!(output.status, 0, "{}: {wrong:#?}", mpi.name);
    }
}

/// C type of the function.
fn prototype(call: Call) -> String {
    let wide = call.is_large();
    let result = match call.row().returns {
        Returns::Code => "int",
        Returns::Seconds => "double",
        Returns::Value(name) => name,
    };
    let argument = |kind: traces::calls::ArgumentKind| if wide { kind.c_types().1 } else { kind.c_types().0 };
    let arguments: Vec<&str> = call.row().arguments.iter().map(|(_, kind)| argument(*kind)).collect();
    let arguments = if arguments.is_empty() { "void".into() } else { arguments.join(", ") };
    format!("{result} ({arguments})")
}
