//! Tests the SQL for engines: by DuckDB, and through Spark Connect by Sail and by Apache Spark, each with several workers.

use examples::build;
use examples::environment::Environment;
use examples::packages;
use examples::target;
use examples::wheel::run as done;

const SAIL: [&str; 1] = ["pysail==0.7.2"];
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
    // The client of Spark Connect is made from the description of the protocol, which imports files of libprotobuf-dev.
    packages::install(&["protobuf-compiler", "libprotobuf-dev"])?;
    let mut cargo = build::cargo();
    cargo.args(["test", "--quiet", "--package", "overhear-engine", "--package", "overhear"]);
    cargo.args(["--features", "overhear/engine", "--lib", "--test", "on_engine"]);
    // Each recorded run is named as it is done: all of them take Sail some twenty minutes, and Spark hours.
    cargo.args(["--", "--include-ignored", "--test-threads=1", "--nocapture"]);
    done(cargo.env(variable, environment.program("python")))
}
