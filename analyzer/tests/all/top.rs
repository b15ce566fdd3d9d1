//! `overhear top`: one frame as a table and as OpenMetrics, and the screen in a pseudo-terminal.

use std::io::Write;
use std::process::Command;

use model::sites::Sites;
use model::watch::Watch;
use serde_json::{Value, json};
use synthetic::{Shape, Topology};
use traces::calls::Call;

use crate::common::golden::{GoldenFiles, kept};
use crate::common::stories::{Story, collective, inside, outside, receive, run, run_in};
use crate::common::terminal::InTerminal;
use crate::common::{Folder, overhear, stdout};
use crate::watch::profiled;

/// Two of three ranks are in a barrier, and one receives from any source.
fn three() -> Folder {
    run(three_stories())
}

fn three_stories() -> Vec<Story> {
    let barrier = || collective(Call::Barrier);
    vec![inside(&[], barrier()), inside(&[], barrier()), inside(&[], receive(-1, 7))]
}

#[test]
fn a_frame_says_of_each_rank_in_which_call_it_is_and_with_whom() {
    let frame = frame(&three());
    let rows: Vec<[&str; 3]> =
        frame.iter().map(|row| ["state", "function", "partner"].map(|key| row[key].as_str().unwrap())).collect();
    // The processes are gone.
    assert_eq!(
        rows,
        [["dead", "MPI_Barrier", "2 of 3 came"], ["dead", "MPI_Barrier", "2 of 3 came"], ["dead", "MPI_Recv", "any"]]
    );
}

/// The verdict of stories whose processes are not of this host, so that nothing is known of them but their files.
fn verdict(stories: Vec<Story>) -> String {
    let folder = run(stories);
    let mut watch = Watch::new(&folder.0);
    watch.look().unwrap();
    // No process is dead: they are elsewhere.
    watch.views.iter_mut().for_each(|view| view.process = None);
    metrics::top::verdict(&watch, &Sites::load(&folder.0, &watch.ranks, false))
}

#[test]
fn the_verdict_names_the_rank_that_the_others_wait_for_also_by_way_of_others() {
    let barrier = || collective(Call::Barrier);
    let all_but_one = vec![inside(&[], barrier()), inside(&[], barrier()), outside(&[])];
    let said = verdict(all_but_one);
    assert!(
        said.starts_with("2 of 3 ranks wait for rank 2, up to ") && said.contains("It has been outside MPI"),
        "{said}"
    );
    // Rank 0 waits for 1, which waits for 2, which goes on.
    let said = verdict(vec![inside(&[], receive(1, 7)), inside(&[], receive(2, 7)), outside(&[])]);
    assert!(said.starts_with("2 of 3 ranks wait for rank 2, up to "), "{said}");
}

#[test]
fn a_circle_is_said_and_hang_asked_for_and_nobody_is_blamed_where_no_partner_is_known() {
    let said = verdict(vec![inside(&[], receive(1, 7)), inside(&[], receive(0, 7))]);
    assert!(said.starts_with("Ranks 0-1 wait for each other, up to ") && said.contains("overhear hang"), "{said}");
    let said = verdict(vec![inside(&[], receive(-1, 7)), outside(&[])]);
    assert!(said.starts_with("1 of 2 ranks has been in one call") && said.contains("rank 0 in MPI_Recv"), "{said}");
    assert_eq!(verdict(vec![outside(&[]), outside(&[])]), "All 2 ranks are outside MPI: nobody waits.");
}

#[test]
fn who_has_ended_is_not_said_to_wait() {
    let folder = three();
    let said = stdout(&overhear("top", &folder.0, &["--once", "--no-cache"]));
    assert!(said.contains("All 3 ranks have ended without MPI_Finalize"), "{said}");
}

#[test]
fn metrics_are_open_metrics_with_a_line_for_each_rank() {
    let folder = three();
    let said = stdout(&overhear("top", &folder.0, &["--metrics"]));
    let of = |name: &str| said.lines().filter(|line| line.starts_with(name)).count();
    for name in [
        "since_seconds",
        "mpi_seconds_total",
        "sent_bytes_total",
        "empty_entries_total",
        "pending_requests",
        "data_age_seconds",
    ] {
        assert_eq!(of(&format!("overhear_{name}{{rank=")), 3, "{name}: {said}");
    }
    assert!(said.ends_with("# EOF\n"), "{said}");
    assert!(said.contains("rank=\"2\",host=") && said.contains("function=\"MPI_Recv\""), "{said}");
}

#[test]
fn without_a_terminal_top_says_what_to_add() {
    let folder = run(vec![outside(&[])]);
    let output = overhear("top", &folder.0, &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("add --once or --metrics"), "{said}");
}

/// `top`'s row of each rank of a run, by number.
fn frame(folder: &Folder) -> Vec<Value> {
    let output = overhear("top", &folder.0, &["--once", "--no-cache", "--format", "json"]);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let mut rows = said["top"].as_array().unwrap().clone();
    rows.sort_by_key(|row| row["rank"].as_u64());
    rows
}

#[test]
fn an_empty_folder_and_none_have_no_frame() {
    let folder = Folder::new();
    let gone = folder.0.join("gone");
    for (folder, said) in [(&folder.0, "no traces here"), (&gone, "No such file")] {
        for how in ["--once", "--metrics"] {
            let output = overhear("top", folder, &[how]);
            assert!(String::from_utf8_lossy(&output.stderr).contains(said), "{output:?}");
            assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
        }
    }
}

#[test]
fn ranks_of_a_run_that_is_over_are_finished_and_nowhere() {
    let folder = Folder::new();
    synthetic::run(&folder.0, &Shape { ranks: 3, calls: 100, topology: Topology::Ring, seed: 1 }).unwrap();
    let rows = frame(&folder);
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert_eq!(
            (&row["state"], &row["function"], &row["since_s"]),
            (&"finalized".into(), &Value::Null, &Value::Null)
        );
    }
}

#[test]
fn of_a_profile_top_says_where_each_rank_is_and_what_its_calls_add_up_to() {
    let folder = profiled();
    let row = &frame(&folder)[0];
    let expected = json!(["in_mpi", "MPI_Send", "1", "5", "MPI_COMM_WORLD"]);
    assert_eq!(
        Value::from_iter(["state", "function", "partner", "tag", "communicator"].map(|key| row[key].clone())),
        expected
    );
    let metrics = stdout(&overhear("top", &folder.0, &["--metrics"]));
    assert!(
        metrics.lines().any(|line| line.starts_with("overhear_sent_bytes_total{") && line.ends_with("} 400")),
        "{metrics}"
    );
}

#[test]
fn the_screen_is_drawn_in_a_terminal_drawn_again_when_that_is_resized_and_left_with_q() {
    let folder = three();
    for columns in [80, 40] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
        command.args(["top", "--no-cache"]).arg(&folder.0).env("TERM", "xterm");
        let mut top = InTerminal::begin(&mut command, columns);
        top.shows("MPI_Barrier");
        top.shows("quits");
        top.resize(30);
        // Three rows do not fit into four lines.
        top.shows("overhear");
        top.keyboard.write_all(b"q").unwrap();
        assert_eq!(top.status(), 0);
    }
}

#[test]
fn the_screen_is_what_it_was_in_terminals_of_80_and_of_40_columns() {
    let folder = three();
    let mut comparison = GoldenFiles::default();
    for columns in [80, 40] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
        command.args(["top", "--no-cache", "."]).current_dir(&folder.0).env("TERM", "xterm");
        let mut top = InTerminal::begin(&mut command, columns);
        top.shows("quits");
        let screen = top.screen();
        top.keyboard.write_all(b"q").unwrap();
        assert_eq!(top.status(), 0);
        comparison.text(&kept(&format!("top/screen-{columns}")), &ageless(&screen));
    }
    comparison.finish();
}

/// Removes the digits of times. Their number does not change from day to day, since the run claims to have begun in
/// 1970.
fn ageless(screen: &str) -> String {
    let is_time = |word: &str| word.trim_end().parse::<f64>().is_ok_and(|seconds| seconds > 1e9);
    let hidden = |word: &str| word.replace(|letter: char| letter.is_ascii_digit(), "#");
    let word = |word: &str| if is_time(word) { hidden(word) } else { word.to_string() };
    screen.split_inclusive([' ', '\n']).map(word).collect()
}

/// Like under nohup, or in a shell of tmux that is killed.
#[test]
fn the_screen_ends_with_its_terminal_also_where_hangups_are_ignored() {
    let folder = three();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" top --no-cache \"$1\"", env!("CARGO_BIN_EXE_overhear")]);
    command.arg(&folder.0).env("TERM", "xterm");
    let mut top = InTerminal::begin(&mut command, 80);
    top.shows("quits");
    assert_eq!(top.hang_up(), 0);
}

#[test]
fn two_at_once_wait_for_a_folder_and_a_run_follow_it_and_end_when_its_folder_is_gone() {
    let folder = Folder::new();
    std::fs::remove_dir(&folder.0).unwrap();
    let mut both = [80, 40].map(|columns| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_overhear"));
        command.args(["top", "--no-cache"]).arg(&folder.0).env("TERM", "xterm");
        InTerminal::begin(&mut command, columns)
    });
    // Spaces are not drawn.
    both.iter_mut().for_each(|top| top.shows("such"));
    std::fs::create_dir(&folder.0).unwrap();
    run_in(&folder, three_stories());
    both.iter_mut().for_each(|top| top.shows("MPI_Barrier"));
    std::fs::remove_dir_all(&folder.0).unwrap();
    for top in &mut both {
        top.shows("recorded.");
        assert_eq!(top.status(), 3);
    }
}
