//! The Python package `overhear` on a run; `python/tests/demonstration.py` tests the whole wheel.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use examples::answer::Answer;
use examples::command::finish;
use examples::run::{built, overhear};
use examples::wheel::READERS;
use examples::{target, workspace};
use serde_json::Value;

/// Prints contents of tables and analyses, and the errors for missing ones.
const SCRIPT: &str = r#"
import json, sys
import overhear, pyarrow
run = overhear.open(sys.argv[1], cache=False)
tables = {name: pyarrow.table(table) for name, table in run.tables.items()}
assert all(table.schema == pyarrow.schema(run.tables[name]) for name, table in tables.items())
counted = tables["calls"].group_by("function").aggregate([("calls", "sum")]).to_pylist()
one = pyarrow.table(run.table("calls", ["end_s", "rank"]))
assert one.equals(tables["calls"].select(["end_s", "rank"])) and one.num_rows > 0
assert "<td" in run._repr_html_() and "<td" in run.tables["calls"]._repr_html_()
said = []
for wrong in (lambda: run.table("call"), lambda: overhear.open("/nowhere"), lambda: run.report(by="moon")):
    try: wrong()
    except (overhear.Error, ValueError) as error: said.append(str(error))
analyses = {name: getattr(run, name)() for name in ("report", "progress", "why", "waits", "path", "pop", "matrix", "imbalance", "check")}
calls = {row["function"]: row["calls_sum"] for row in counted}
json.dump({"calls": calls, "tables": list(tables), "said": said, "analyses": analyses}, sys.stdout)
"#;

#[test]
fn a_runs_tables_are_arrow_and_its_analyses_are_what_the_command_prints() {
    READERS.iter().for_each(|reader| reader.install().unwrap());
    let run = workspace().join("traces/samples/integer_sort-openmpi");
    let path = std::env::join_paths([package()].into_iter().chain(READERS.iter().map(|reader| reader.folder())));
    let output = finish(Command::new("python3").env("PYTHONPATH", path.unwrap()).args(["-c", SCRIPT]).arg(&run));
    assert_eq!(output.status, 0, "{}", output.stderr);
    let said: Value = serde_json::from_str(&output.stdout).unwrap();
    let asked = |analysis: &str| Answer::of(Command::new(overhear()).args([analysis, "--no-cache"]).arg(&run)).json;
    let analyses = said["analyses"].as_object().unwrap();
    assert_eq!(analyses.len(), 8);
    analyses.iter().for_each(|(analysis, found)| assert_eq!(*found, asked(analysis), "{analysis}"));
    let count = |row: &Value| (row["function"].as_str().unwrap().to_string(), row["calls"].as_u64().unwrap());
    let reported: BTreeMap<String, u64> = asked("report")["functions"].as_array().unwrap().iter().map(count).collect();
    assert_eq!(serde_json::from_value::<BTreeMap<String, u64>>(said["calls"].clone()).unwrap(), reported);
    let refused = ["The nearest one is calls", "Give the folder that overhear named", "it is one of function, rank"];
    let errors = said["said"].as_array().unwrap().iter().map(|error| error.as_str().unwrap());
    assert!(errors.clone().count() == 3 && errors.zip(refused).all(|(error, part)| error.contains(part)), "{said:#}");
}

#[test]
fn notebooks_show_runs_and_tables_with_every_text_escaped() {
    let output = finish(Command::new("python3").arg(workspace().join("python/tests/notebook_html.py")));
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_eq!(output.stderr.matches("... ok").count(), 3, "{}", output.stderr);
}

/// A folder to import the package from, with the module built by `cargo build --release`.
fn package() -> PathBuf {
    let folder = target().join("python");
    let package = folder.join("overhear");
    fs::create_dir_all(&package).unwrap();
    for file in fs::read_dir(workspace().join("python/overhear")).unwrap().map(|file| file.unwrap().path()) {
        // Python keeps compiled files in a folder.
        if file.is_file() {
            copy(&file, &package.join(file.file_name().unwrap()));
        }
    }
    copy(&built("lib_overhear.so"), &package.join("_overhear.abi3.so"));
    folder
}

fn copy(from: &Path, to: &Path) {
    // A loaded module must not be overwritten.
    let _ = fs::remove_file(to);
    fs::copy(from, to).unwrap();
}
