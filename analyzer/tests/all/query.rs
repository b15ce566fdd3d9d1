//! SQL over a run agrees with its tables.

use std::process::Output;

use crate::common::{overhear, stderr, stdout, two_ranks};

fn query(sql: &str, arguments: &[&str]) -> Output {
    overhear("query", &two_ranks().0, &[&[sql, "--no-cache"], arguments].concat())
}

#[test]
fn the_tables_are_described_without_a_run() {
    let output =
        std::process::Command::new(env!("CARGO_BIN_EXE_overhear")).args(["query", "--tables"]).output().unwrap();
    assert_eq!(stdout(&output), data::description());
}

#[cfg(not(feature = "polars"))]
#[test]
fn without_polars_one_line_says_how_to_build_it() {
    let output = query("SELECT * FROM calls", &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).lines().count() == 1 && stderr(&output).contains("--features overhear/polars"),
        "{output:?}"
    );
}

#[cfg(feature = "polars")]
mod with_polars {
    use super::*;
    use crate::common::{self, recorded::recorded};
    use serde_json::{Value, json};

    fn rows(output: &Output) -> Value {
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        report["rows"].clone()
    }

    #[test]
    fn calls_added_up_by_function_are_those_of_report() {
        let mut ran = 0;
        for fixture in ["persistent_halo", "wildcard", "threads", "spawns"].iter().flat_map(|name| recorded(name)) {
            let sql = "SELECT function, sum(calls) AS calls FROM calls GROUP BY function ORDER BY function";
            let asked = overhear("query", &fixture.run, &[sql, "--no-cache", "--format", "json"]);
            let report = common::json(&fixture.run, "function");
            let told = report["functions"].as_array().unwrap().iter();
            let mut told: Vec<Value> =
                told.map(|row| json!({"function": row["function"], "calls": row["calls"]})).collect();
            told.sort_by_key(|row| row["function"].to_string());
            assert_eq!(rows(&asked), Value::from(told), "{}", fixture.run.display());
            ran += 1;
        }
        assert!(ran > 3, "{ran}");
    }

    #[test]
    fn a_table_may_stand_in_a_query_twice_and_beside_others() {
        let sql = "SELECT a.start_ticks AS one, b.start_ticks AS other, r.host AS host FROM calls a \
                   JOIN calls b ON a.signature = b.signature AND a.rank = b.rank JOIN ranks r ON r.rank = a.rank \
                   WHERE a.rank = 0 ORDER BY one, other LIMIT 4";
        let told: Vec<(Value, Value)> = rows(&query(sql, &["--format", "json"]))
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["one"].clone(), row["other"].clone()))
            .collect();
        let pair = |one: u64, other: u64| (json!(one), json!(other));
        assert_eq!(told, [pair(1010, 1010), pair(1010, 6000), pair(1010, 10_000), pair(6000, 1010)]);
    }

    #[test]
    fn counts_limits_and_empty_tables_need_no_columns() {
        let one = |sql| rows(&query(sql, &["--format", "json"]))[0]["n"].clone();
        assert_eq!(one("SELECT count(*) AS n FROM calls"), 6);
        assert_eq!(one("SELECT count(*) AS n FROM (SELECT * FROM calls LIMIT 5)"), 5);
        assert_eq!(one("SELECT count(*) AS n FROM regions"), 0);
        assert_eq!(one("SELECT count(*) AS n FROM calls WHERE rank = 1 AND function = 'MPI_Recv'"), 3);
    }

    #[test]
    fn a_name_that_is_wrong_is_answered_with_the_nearest() {
        for (sql, said) in [
            ("SELECT functon FROM calls", "no column is called functon. The nearest one is function"),
            ("SELECT function FROM call", "no table is called call. The nearest one is calls"),
            ("SELEC function FROM calls", "overhear query --tables"),
        ] {
            let output = query(sql, &[]);
            assert_eq!(output.status.code(), Some(2), "{output:?}");
            assert!(stderr(&output).contains(said) && stderr(&output).lines().count() == 1, "{output:?}");
        }
    }

    #[test]
    fn text_has_units_and_csv_has_no_formulas() {
        let text = stdout(&query("SELECT sum(inside_s) AS total_s FROM calls", &[]));
        assert!(text.contains("total µs"), "{text}");
        let csv = stdout(&query("SELECT '=1+1' AS text FROM ranks LIMIT 1", &["--format", "csv"]));
        assert_eq!(csv, "text\n'=1+1\n");
    }
}
