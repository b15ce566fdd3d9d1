//! Every word of every report has an explanation.

use std::process::Command;

use metrics::topics::topics;
use model::matching::WaitState;
use serde_json::Value;

use crate::schema::{COMMANDS, schema, tables};

/// Exit status and output.
fn explain(words: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
    let output = command.arg("explain").args(words).env_remove("COLUMNS").output().unwrap();
    (output.status.code(), [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat())
}

#[test]
fn the_schema_of_every_command_says_what_each_column_and_fact_means() {
    let mut looked_at = 0;
    for (command, _) in COMMANDS {
        let schema = schema(command);
        for (table, fields) in tables(&schema) {
            for (key, field) in fields {
                let described = field["description"].as_str().unwrap();
                let first = described.chars().next();
                assert!(
                    described.len() > 10 && first.is_some_and(char::is_uppercase),
                    "{command}: {table}.{key}: {described}"
                );
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 500, "{looked_at}");
}

#[test]
fn every_wait_state_and_every_factor_of_efficiency_is_explained() {
    let known: Vec<&str> = topics().map(|topic| topic.name).collect();
    for state in WaitState::ALL {
        assert!(known.contains(&state.name()), "{}", state.name());
        let (status, said) = explain(&[state.name()]);
        assert!(status == Some(0) && ["formula", "source", "advice"].iter().all(|word| said.contains(word)), "{said}");
    }
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../traces/samples/integer_sort-openmpi");
    for analysis in [&["pop", sample][..], &["scaling", sample, sample]] {
        let output = Command::new(env!("CARGO_BIN_EXE_overhear")).args(analysis).args(["--format", "json"]).output();
        let said: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let metrics = said["pop"].as_array().unwrap();
        assert!(metrics.len() >= 5, "{said:#}");
        for metric in metrics {
            assert!(known.contains(&metric["metric"].as_str().unwrap()), "{metric}");
        }
    }
}

#[test]
fn a_name_is_found_however_it_is_written_and_one_that_is_not_is_answered_with_the_nearest() {
    for name in ["late_sender", "Late Sender", "late-sender"] {
        assert!(explain(&[name]).1.contains("before it") || explain(&[name]).1.contains("not sent yet"), "{name}");
    }
    // One is a JSON key, the other a table's heading.
    for name in ["imbalance_percent", "imbalance %"] {
        let (status, said) = explain(&[name]);
        assert!(
            status == Some(0) && said.contains("imbalance (functions)") && said.contains("100 where one takes"),
            "{said}"
        );
    }
    let (status, said) = explain(&["late_sendr"]);
    assert!(status == Some(2) && said.contains("The nearest one is late_sender."), "{said}");
    let (_, all) = explain(&[]);
    assert!(all.lines().all(|line| line.chars().count() <= 80), "{all}");
    assert!(all.contains("late_sender") && all.contains("load balance"), "{all}");
}

#[test]
fn a_part_of_a_name_several_words_and_other_words_find_what_is_meant() {
    for words in [&["load imbalance"][..], &["load", "imbalance"], &["load", "bal"]] {
        let (status, said) = explain(words);
        assert!(status == Some(0) && said.starts_with("load balance\n"), "{said}");
    }
    for name in ["LogGP", "loggp", "o_s"] {
        let (status, said) = explain(&[name]);
        assert!(status == Some(0) && said.starts_with("LogGP\n"), "{said}");
    }
    let (status, said) = explain(&["overlap"]);
    assert!(status == Some(0) && said.starts_with("overhear overlap: Show how much"), "{said}");
    let (status, said) = explain(&["late"]);
    assert!(status == Some(0) && said.contains("late_sender ") && said.contains("late_receiver "), "{said}");
}

#[test]
fn the_words_of_a_report_s_first_lines_are_explained() {
    for (word, key) in [
        ("recording", "overhear_delay_percent"),
        ("efficiency", "parallel efficiency"),
        ("wall time", "wall_time_s"),
        ("delayed", "delay_percent"),
        ("outside MPI", "computation_mean_s"),
        ("perhaps more", "perhaps"),
    ] {
        let (status, said) = explain(&[word]);
        assert!(status == Some(0) && said.starts_with(key), "{word}: {said}");
    }
}
