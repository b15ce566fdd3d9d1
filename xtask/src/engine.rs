//! Tests the SQL for engines: by DuckDB, and by Sail with several workers through Spark Connect.

use examples::build;
use examples::environment::Environment;
use examples::packages;
use examples::target;
use examples::wheel::run as done;

const SAIL: [&str; 4] = ["pysail==0.7.2", "pyspark-client==4.2.0", "pandas==2.3.3", "pyarrow==26.0.1"];

pub fn run(with_sail: bool) -> Result<(), String> {
    let mut cargo = build::cargo();
    cargo.args(["test", "--quiet", "--package", "overhear", "--test", "all", "engine_sql::"]);
    done(cargo.env("TEST_ENGINE", "all"))?;
    if with_sail { sail() } else { Ok(()) }
}

fn sail() -> Result<(), String> {
    // The client of Spark Connect is made from the protocol's description.
    packages::install(&["protobuf-compiler"])?;
    let environment = Environment::with(&target().join("engine/sail"), &SAIL)?;
    let mut cargo = build::cargo();
    cargo.args([
        "test",
        "--quiet",
        "--package",
        "overhear-engine",
        "--package",
        "overhear",
        "--features",
        "overhear/engine",
    ]);
    cargo.args(["--lib", "--test", "on_engine", "--", "--include-ignored", "--test-threads=1"]);
    done(cargo.env("TEST_ENGINE_PYTHON", environment.program("python")))
}
