//! `overhear diff` of a program and its edited versions names what was edited, and nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::both_families;
use examples::answer::Answer;
use examples::mpi::Mpi;
use examples::program::{Program, compile};
use examples::run::{Case, Run, finish, overhear};
use examples::{target, workspace};

/// What `diff` is to say of an edit: the calls that B alone has, that A alone has, that stand in the place of others, and what moved.
#[derive(Default)]
struct Edit {
    name: &'static str,
    /// Text of the base, and what stands in its place.
    replaced: Vec<(String, String)>,
    /// The file `edited_part.h`, where the edit moves text there.
    part: String,
    only_b: &'static [&'static str],
    only_a: &'static [&'static str],
    instead: &'static [&'static str],
    moved: &'static [&'static str],
}

const SUM: &str = "    MPI_Allreduce(own, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n";
const MAXIMUM: &str = "    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);\n";
const BARRIER: &str = "    MPI_Barrier(MPI_COMM_WORLD);\n";
const POSTS_SEND: &str = "    MPI_Isend(";

fn edits(base: &str) -> Vec<Edit> {
    let pair = |from: &str, to: &str| (from.to_string(), to.to_string());
    let lines = |count: usize| pair("enum {", &format!("{}enum {{", "// Another line.\n".repeat(count)));
    let (exchange, norm, finish) = (function(base, "exchange"), function(base, "norm"), function(base, "finish"));
    let spread = function(base, "spread");
    let leave = format!("static __attribute__((noinline)) void leave(void) {{\n{BARRIER}}}\n\n");
    let bcast = "static void spread(int count) {\n    MPI_Bcast(cells, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);\n}\n\n";
    let reduce = "    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);\n";
    vec![
        Edit {
            name: "nine lines are added above",
            replaced: vec![lines(9)],
            moved: &["9 call sites moved by 9 lines in edited.c"],
            ..Edit::default()
        },
        Edit {
            name: "lines are added in a function",
            replaced: vec![pair(POSTS_SEND, &format!("    // One.\n    // Two.\n{POSTS_SEND}"))],
            moved: &["6 call sites moved by 2 lines in edited.c"],
            ..Edit::default()
        },
        Edit {
            name: "a function moves within the file",
            replaced: vec![pair(&norm, ""), pair(&spread, &format!("{norm}{spread}"))],
            moved: &["5 call sites moved by 7 lines and 2 call sites moved up by 17 lines in edited.c"],
            ..Edit::default()
        },
        Edit {
            name: "a function moves to another file",
            replaced: vec![pair(&exchange, "#include \"edited_part.h\"\n\n")],
            part: exchange.clone(),
            moved: &[
                "4 call sites moved up by 5 lines in edited.c",
                "exchange moved from edited.c to edited_part.h (3 call sites)",
            ],
            ..Edit::default()
        },
        Edit {
            name: "a function gets another name",
            replaced: vec![pair("exchange(", "swap_cells(")],
            moved: &["exchange is called swap_cells (3 call sites)"],
            ..Edit::default()
        },
        Edit {
            name: "a function is split",
            replaced: vec![pair(&finish, &format!("{leave}{}", finish.replace(BARRIER, "    leave();\n")))],
            moved: &["1 call site moved by 4 lines in edited.c", "1 call site of finish is in leave"],
            ..Edit::default()
        },
        Edit {
            name: "a call is replaced",
            replaced: vec![pair("MPI_Send(", "MPI_Ssend(")],
            instead: &[
                "MPI_Ssend at edited.c:13 in place of MPI_Send at edited.c:13 (40 calls as before, 20.0 KiB sent as before)",
            ],
            ..Edit::default()
        },
        Edit {
            name: "a loop of sends becomes a collective call",
            replaced: vec![pair(&spread, bcast)],
            instead: &[
                "MPI_Bcast at edited.c:11 in place of MPI_Send at edited.c:13 and MPI_Recv at edited.c:16 (60 calls instead of 80, 20.0 KiB received as before)",
            ],
            moved: &["7 call sites moved up by 6 lines in edited.c"],
            ..Edit::default()
        },
        Edit {
            name: "a call is added below more lines",
            replaced: vec![lines(5), pair(SUM, &format!("{BARRIER}{SUM}"))],
            only_b: &["MPI_Barrier at edited.c:34 in norm (60 calls)"],
            moved: &["4 call sites moved by 6 lines and 5 call sites moved by 5 lines in edited.c"],
            ..Edit::default()
        },
        Edit {
            name: "a call is removed below more lines",
            replaced: vec![lines(5), pair(BARRIER, "")],
            only_a: &["MPI_Barrier at edited.c:37 in finish (3 calls)"],
            moved: &["8 call sites moved by 5 lines in edited.c"],
            ..Edit::default()
        },
        Edit {
            name: "the first of two like calls is removed",
            replaced: vec![pair(SUM, "")],
            only_a: &["MPI_Allreduce at edited.c:29 in norm (60 calls)"],
            moved: &["3 call sites moved up by 1 line in edited.c"],
            ..Edit::default()
        },
        Edit {
            name: "two calls change places",
            replaced: vec![
                pair(&format!("{SUM}{MAXIMUM}"), &format!("{MAXIMUM}{SUM}")),
                pair(&format!("{reduce}{BARRIER}"), &format!("{BARRIER}{reduce}")),
            ],
            moved: &["2 call sites moved by 1 line and 2 call sites moved up by 1 line in edited.c"],
            ..Edit::default()
        },
    ]
}

/// A function of the base with the empty line behind it.
fn function(base: &str, name: &str) -> String {
    let name =
        base.find(&format!(" {name}(int")).or_else(|| base.find(&format!(" {name}(double"))).expect("the base has it");
    let begin = base[..name].rfind("static ").expect("it is static");
    let end = begin + base[begin..].find("\n}\n\n").expect("it ends");
    base[begin..end + 4].to_string()
}

/// The edited text in a folder of its own.
fn edited(base: &str, edit: &Edit, mpi: &Mpi, name: &str) -> PathBuf {
    let mut text = base.to_string();
    for (from, to) in &edit.replaced {
        assert!(text.contains(from), "{}: the base has no {from:?}", edit.name);
        text = text.replace(from, to);
    }
    written(mpi, name, &[("edited_part.h", &edit.part), ("edited.c", &text)])
}

/// A folder with these files.
fn written(mpi: &Mpi, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = target().join("programs").join(mpi.built_as).join("edited").join(name);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("the target folder can be written");
    }
    folder
}

/// A recorded run of the program in this folder.
fn recorded(mpi: &Mpi, folder: &Path, name: &str) -> Run {
    let (source, path) = (folder.join("edited.c"), folder.join("edited"));
    compile(mpi, &source, &path, &[]);
    let case = Case { mpi, path, arguments: Vec::new(), ranks: 3, variables: Vec::new() };
    let (output, run) = case.recorded(name);
    assert_eq!(output.status, 0, "{name} under {}: {}", mpi.name, output.stderr);
    run
}

fn diff(a: &Run, b: &Run, more: &[&str]) -> Answer {
    a.ask("diff", &[&[b.folder.to_str().expect("a path is text")], more].concat())
}

/// The parts of a fact.
fn parts<'a>(said: &'a Answer, fact: &str) -> Vec<&'a str> {
    said.json["run"][fact].as_str().map_or(Vec::new(), |text| text.split("; ").collect())
}

/// Call sites of the table whose numbers of calls differ.
fn with_other_calls(said: &Answer) -> Vec<&str> {
    let calls = said.matching("figures", &[("table", "sites".into()), ("figure", "calls".into())]);
    assert!(!calls.is_empty(), "{:#}", said.json);
    let differing = calls.into_iter().filter(|row| row["a"].as_f64() != row["b"].as_f64());
    differing.map(|row| row["row"].as_str().expect("a row has a name")).collect()
}

#[test]
fn an_edit_is_named_and_nothing_else() {
    let base = fs::read_to_string(workspace().join("examples/tests/programs/edited.c")).expect("the base is here");
    let mut tried = 0;
    for mpi in &both_families() {
        let unedited = recorded(mpi, &edited(&base, &Edit::default(), mpi, "base"), "base");
        for (edit, number) in edits(&base).iter().zip(1..) {
            let name = format!("edit-{number}");
            let run = recorded(mpi, &edited(&base, edit, mpi, &name), &name);
            let said = diff(&unedited, &run, &[]);
            let facts = ["calls_of_b", "calls_of_a", "calls_instead", "moved"].map(|fact| parts(&said, fact));
            assert_eq!(facts, [edit.only_b, edit.only_a, edit.instead, edit.moved], "{} under {}", edit.name, mpi.name);
            assert_eq!(said.json["run"]["other_calls"], Value::Null, "{} under {}", edit.name, mpi.name);
            let others = with_other_calls(&said);
            let is_told = |row: &&str| {
                row.contains(" of A)")
                    || [edit.only_b, edit.instead].concat().iter().any(|told| told.contains(place(row)))
            };
            assert!(others.iter().all(is_told), "{} under {}: {others:?}", edit.name, mpi.name);
            let is_other = ![edit.only_b, edit.only_a, edit.instead].concat().is_empty();
            let status = diff(&unedited, &run, &["--fail-if", "other_sites>0"]).status;
            assert_eq!(status, i32::from(is_other), "{} under {}", edit.name, mpi.name);
            tried += 1;
        }
    }
    assert!(tried >= 24, "{tried} edits were tried");
}

/// The file and line of a row.
fn place(row: &str) -> &str {
    row.split(['(', ')']).nth(1).unwrap_or(row)
}

#[test]
fn a_condition_on_a_line_that_moved_compares_the_calls_that_moved() {
    let base = fs::read_to_string(workspace().join("examples/tests/programs/edited.c")).expect("the base is here");
    for mpi in &both_families() {
        let unedited = recorded(mpi, &edited(&base, &Edit::default(), mpi, "moved-a"), "moved-a");
        let run = recorded(mpi, &edited(&base, &edits(&base)[0], mpi, "moved-b"), "moved-b");
        for (condition, status) in [
            ("edited.c:39.calls>+0", 0),
            ("edited.c:39.calls<-0", 0),
            ("edited.c:39.calls>59", 1),
            ("edited.c:46.calls>2", 1),
            // A line of A alone.
            ("edited.c:37.calls>2", 1),
            ("edited.c:37.calls>+0", 0),
        ] {
            assert_eq!(
                diff(&unedited, &run, &["--fail-if", condition]).status,
                status,
                "{condition} under {}",
                mpi.name
            );
        }
        let paths = diff(&unedited, &run, &["--by", "path"]);
        assert_eq!(parts(&paths, "moved"), ["9 call sites moved by 9 lines in edited.c"], "{}", mpi.name);
        let folders = [&unedited, &run].map(|run| run.folder.to_str().expect("a path is text").to_string());
        let page = folders[1].clone() + ".html";
        let output = finish(Command::new(overhear()).arg("diff").args(&folders).args(["--force", "--html", &page]));
        assert_eq!(output.status, 0, "{output:?}");
        let page = fs::read_to_string(page).expect("the page was written");
        // Intel MPI is not asked what it was set to.
        let unseen = match mpi.name.starts_with("impi") {
            true => "only environment variables are compared",
            false => "those of info objects, and what MPI_T set after MPI_Init, are not compared",
        };
        for told in ["9 call sites moved by 9 lines in edited.c", unseen] {
            assert!(page.contains(told), "{told} under {}", mpi.name);
        }
        assert!(!page.contains(" of A)"), "{}", mpi.name);
    }
}

/// Programs that call MPI at the same places in each run.
const PROGRAMS: [&str; 8] = [
    "collectives",
    "communicators",
    "exchange",
    "nonblocking_collectives",
    "persistent_halo",
    "ring",
    "rma_fence",
    "sendrecv",
];

/// A program with nine lines more above its functions, and one above `main`.
fn longer(text: &str) -> String {
    let above = text.rfind("#include").expect("it includes MPI");
    let (above, below) = text.split_at(above);
    let main = below.find("\nint main").expect("it has a main function");
    let (functions, main) = below.split_at(main + 1);
    format!("{above}{}{functions}// One more.\n{main}", "// Another line.\n".repeat(9))
}

#[test]
fn each_call_site_of_eight_programs_is_found_below_added_lines() {
    let mut found = 0;
    for (name, number) in PROGRAMS.iter().zip(0..) {
        let program = Program::read(name);
        let families = both_families();
        let mpi = &families[number % families.len()];
        let text = fs::read_to_string(&program.source).expect("it is here");
        let texts = [text.clone(), longer(&text)];
        let record = |text: &str, version: &str| {
            let folder = written(mpi, &format!("{name}-{version}"), &[("edited.c", text)]);
            let includes = format!("-I{}", program.source.parent().expect("it is in a folder").display());
            let path = folder.join("edited");
            compile(mpi, &folder.join("edited.c"), &path, &[&[includes][..], &program.flags].concat());
            let (output, run) = Case { path, ..Case::of(&program, mpi) }.recorded(&format!("{name}-{version}"));
            assert_eq!(output.status, 0, "{name} under {}: {}", mpi.name, output.stderr);
            run
        };
        let [a, b] = [(&texts[0], "a"), (&texts[1], "b")].map(|(text, version)| record(text, version));
        let said = diff(&a, &b, &["--whole"]);
        let line = |text: &str, site: &Value| {
            let number = site.as_str()?.split("edited.c:").nth(1)?.trim_end_matches(')').parse::<usize>().ok()?;
            text.lines().nth(number - 1).map(str::to_string)
        };
        for pair in said.rows("site_pairs") {
            let [of_a, of_b] = [line(&texts[0], &pair["a_site"]), line(&texts[1], &pair["b_site"])];
            assert!(of_a.is_some() || pair["a_site"] == pair["b_site"], "{name} under {}: {pair}", mpi.name);
            assert_eq!(of_a, of_b, "{name} under {}: {pair}", mpi.name);
            found += usize::from(of_a.is_some());
        }
        assert_eq!(diff(&a, &b, &["--whole", "--fail-if", "other_sites>0"]).status, 0, "{name} under {}", mpi.name);
    }
    assert!(found > 50, "{found} call sites were found");
}
