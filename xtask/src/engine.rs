//! Tests the SQL for engines: by DuckDB, and through Spark Connect by Sail and by Apache Spark, each with several workers.

use examples::build;
use examples::environment::Environment;
use examples::packages;
use examples::target;
use examples::wheel::run as done;

const SAIL: [&str; 4] = ["pysail==0.7.2", "pyspark-client==4.2.0", "pandas==2.3.3", "pyarrow==26.0.1"];
/// PyPI has it as source alone: its jars with an installer.
const SPARK: [&str; 2] = ["--no-binary=pyspark", "pyspark==4.3.0"];

pub fn run(with_sail: bool, with_spark: bool) -> Result<(), String> {
    let mut cargo = build::cargo();
    cargo.args(["test", "--quiet", "--package", "overhear", "--test", "all", "engine_sql::"]);
    done(cargo.env("TEST_ENGINE", "all"))?;
    if with_sail {
        ask("TEST_SAIL_PYTHON", &Environment::with(&target().join("engine/sail"), &SAIL)?)?;
    }
    if with_spark {
        packages::install(&["default-jre-headless"])?;
        ask("TEST_SPARK_PYTHON", &Environment::with(&target().join("engine/spark"), &SPARK)?)?;
    }
    Ok(())
}

/// Runs the tests with the engine of an environment, which a variable names.
fn ask(variable: &str, environment: &Environment) -> Result<(), String> {
    // The client of Spark Connect is made from the protocol's description.
    packages::install(&["protobuf-compiler"])?;
    let mut cargo = build::cargo();
    cargo.args(["test", "--quiet", "--package", "overhear-engine", "--package", "overhear"]);
    cargo.args(["--features", "overhear/engine", "--lib", "--test", "on_engine"]);
    cargo.args(["--", "--include-ignored", "--test-threads=1"]);
    done(cargo.env(variable, environment.program("python")))
}
