//! One report in every format.

use std::fs;
use std::process::Command;

use parquet::record::Field;

use crate::common;
use crate::common::parquet::parquet;
use crate::common::recorded::{ask, recorded};
use crate::common::terminal::InTerminal;
use crate::common::{Folder, report, stderr, stdout, two_ranks};
use traces::calls::Call;

#[test]
fn json_is_versioned_and_has_units_in_its_names() {
    let folder = two_ranks();
    let report = common::json(&folder.0, "function");
    assert_eq!(report["schema"], "overhear-report/2");
    let row = report["functions"][0].as_object().unwrap();
    for key in row.keys() {
        let has_unit = ["_s", "_percent", "_bytes", "calls", "bytes", "pieces", "function", "_rank", "_world"]
            .iter()
            .any(|end| key.ends_with(end));
        assert!(has_unit, "{key}");
    }
}

#[test]
fn csv_has_a_line_for_each_row_under_names_with_units() {
    let folder = two_ranks();
    let text = stdout(&report(&folder.0, &["--format", "csv"]));
    let mut lines = text.lines();
    assert!(
        lines.next().unwrap().starts_with("function,time_max_s,time_max_rank,time_max_world,time_mean_s,time_total_s")
    );
    assert_eq!(lines.clone().count(), 2);
    assert!(lines.next().unwrap().starts_with("MPI_Recv,"));
}

#[test]
fn text_fits_eighty_columns() {
    let folder = two_ranks();
    for by in ["function", "rank", "rank=1", "comm", "thread"] {
        let text = stdout(&report(&folder.0, &["--by", by]));
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= 80, "{by}: {longest}\n{text}");
    }
}

#[test]
fn a_report_can_go_to_a_file() {
    let folder = two_ranks();
    let file = Folder::new().0.join("report.csv");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let output = report(&folder.0, &["--format", "csv", "--output", file.to_str().unwrap()]);
    assert!(output.stdout.is_empty());
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("function,"));
    std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let folder = two_ranks();
    let output = report(&folder.0, &["--output", "/nowhere/report.txt"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).contains("/nowhere/report.txt: No such file or directory. Make its folder"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn parquet_has_the_same_rows_in_typed_columns() {
    let folder = two_ranks();
    let file = folder.0.join("report.parquet");
    let output = report(&folder.0, &["--format", "parquet", "--output", file.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let read = parquet(&fs::read(&file).unwrap());
    assert_eq!(read.rows, 2);
    assert_eq!(read.column("function")[0], Field::Str("MPI_Recv".into()));
    assert_eq!(read.column("calls")[0], Field::ULong(3));
    let total = &read.column("time_total_s")[0];
    assert!(matches!(total, Field::Double(total) if (total - 60e-6).abs() < 1e-9), "{total}");
}

#[test]
fn parquet_has_ranks_and_worlds_as_numbers_where_some_were_spawned() {
    let folder = two_ranks();
    let spawned = traces::file::FileHeader { world: 1, ..common::header(0, 1) };
    folder.write(
        "world-1-rank-0000.ovh",
        &common::rank(spawned, &[common::signature(1, Call::Barrier, 0, 0, 0)], &[(1, 0, 9)]),
    );
    let file = folder.0.join("report.parquet");
    report(&folder.0, &["--by", "rank", "--format", "parquet", "--output", file.to_str().unwrap()]);
    let read = parquet(&fs::read(&file).unwrap());
    assert_eq!(read.column("world"), [0, 0, 1].map(Field::ULong));
    assert_eq!(read.column("rank"), [0, 1, 0].map(Field::ULong));
}

#[test]
fn tables_wider_than_a_terminal_break_names_there_and_nowhere_else() {
    let run = recorded("datatypes").remove(0).run;
    let words = |columns: u16| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
        command.arg("report").arg(&run).args(["--by", "site", "--top", "all"]);
        InTerminal::begin(&mut command, columns).text()
    };
    let (narrow, wide) = (words(80), words(200));
    let too_long: Vec<&str> = narrow.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(too_long.is_empty() && wide.lines().any(|line| line.chars().count() > 80), "{too_long:#?}");
    let answer = ask(&run, "report", &["--by", "site", "--top", "all"]);
    let (site, file) = answer
        .rows("sites")
        .iter()
        .find_map(|row| row["site"].as_str()?.split_once(' ').filter(|(name, _)| *name == "transfer_and_forget"))
        .unwrap();
    let lines: Vec<&str> = narrow.lines().collect();
    let broken = |lines: &[&str]| lines[0].starts_with(&format!("{site}  ")) && lines[1] == file;
    assert!(lines.windows(2).any(broken), "{narrow}");
    assert!(wide.contains(&format!("{site} {file}")), "{wide}");
}
