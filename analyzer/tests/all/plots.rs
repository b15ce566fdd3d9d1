//! Compares plots with golden SVGs that were checked by eye, and PNGs with these.

use std::fs;
use std::path::Path;
use std::process::Command;

use model::Run;
use pictures::charts;
use pictures::plot::{
    self, Axis, AxisScale, AxisUnit, BarLayout, BarPart, BarRow, Bars, Chart, Drawing, PlotFile, Series,
};

use crate::common::drawn::assert_drawn;
use crate::common::golden::{GoldenFiles, kept_file};
use crate::common::recorded::recorded;
use crate::common::{Folder, growing, two_ranks};

/// Two charts with everything that makes them hard to read: many lines, long names, intervals, values off the axis.
fn charts() -> Vec<Chart> {
    let sizes: Vec<f64> = (0..=20).map(|power| f64::from(1u32 << power)).collect();
    let line = |number: usize| {
        let time = |bytes: f64| (1.5 + number as f64) * 1e-6 + bytes / (2.0 + number as f64) / 1e9;
        let points: Vec<(f64, f64)> = sizes.iter().map(|bytes| (*bytes, time(*bytes))).collect();
        let intervals = points.iter().map(|(bytes, time)| (*bytes, time * 0.8, time * 1.3)).collect();
        Series { name: format!("protocol ({}, {number}): nonblocking", number % 2), points, intervals }
    };
    let times = Chart {
        title: "time of a message".into(),
        x: Axis::new("message size", AxisScale::Log2, AxisUnit::Bytes),
        y: Axis::new("time", AxisScale::Log10, AxisUnit::Seconds),
        series: (0..15).map(line).collect(),
    };
    let shares = sizes.iter().zip([0.0, 20.0, 99.0].into_iter().cycle()).map(|(bytes, share)| (*bytes, share));
    let available = Chart {
        title: "application availability".into(),
        x: times.x.clone(),
        y: Axis::new("availability", AxisScale::Linear, AxisUnit::Percent),
        series: vec![Series { name: "send".into(), points: shares.collect(), intervals: Vec::new() }],
    };
    vec![times, available]
}

/// Rows of bars with everything that makes them hard to read: a name that is too long, empty parts, intervals.
fn bars() -> Vec<Bars> {
    let part = |name: &str| BarPart { name: name.into(), hue: None };
    let row = |name: &str, values: &[f64], intervals: &[Option<(f64, f64)>]| BarRow {
        name: name.into(),
        values: values.into(),
        intervals: intervals.into(),
    };
    let x = Axis::new("time of a rank", AxisScale::Linear, AxisUnit::Seconds);
    let long = "MPI_Neighbor_alltoallw_init, communicator of a very long name, rank_0.c:1234";
    let stacked = Bars {
        title: "time by rank".into(),
        x: x.clone(),
        parts: vec![part("computation"), part("MPI_Allreduce"), part("MPI_Waitall")],
        layout: BarLayout::Stacked,
        rows: vec![
            row("rank 0", &[0.8, 0.15, 0.05], &[]),
            row("rank 1", &[0.5, 0.0, 0.5], &[]),
            row(long, &[0.1, 0.9, 0.0], &[]),
        ],
    };
    let grouped = Bars {
        title: "two runs".into(),
        parts: vec![part("A"), part("B")],
        layout: BarLayout::Grouped,
        rows: vec![
            row("MPI_Barrier", &[0.010, 0.012], &[Some((0.009, 0.013)), Some((0.010, 0.015))]),
            row("MPI_Bcast", &[0.0, 0.003], &[None, None]),
        ],
        x: x.clone(),
    };
    let alone =
        Bars { parts: Vec::new(), layout: BarLayout::Stacked, rows: vec![row("a", &[3e-6], &[])], ..grouped.clone() };
    vec![stacked, grouped, alone]
}

#[test]
fn charts_and_bars_are_drawn_as_they_were_when_somebody_looked_at_them() {
    let figures = |name: &str| -> Vec<Drawing> {
        match name {
            "bars" => bars().into_iter().map(Drawing::from).collect(),
            _ => charts().into_iter().map(Drawing::from).collect(),
        }
    };
    let mut comparison = GoldenFiles::default();
    for name in ["charts", "bars"] {
        let [svg, png] = ["svg", "png"].map(|format| {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).with_extension(format);
            let file: PlotFile = path.to_str().unwrap().parse().unwrap();
            plot::write(figures(name), &file).unwrap();
            path
        });
        comparison.text(&kept_file(&format!("plots/{name}.svg")), &fs::read_to_string(&svg).unwrap());
        assert_drawn(&png, &svg);
    }
    comparison.finish();
}

#[test]
fn a_plot_of_another_format_is_refused_by_its_name() {
    for name in ["plot.jpg", "plot.svg.gz", "plot."] {
        assert!(name.parse::<PlotFile>().is_err(), "{name}");
    }
    for name in ["a.svg", "a.PNG", "run.1/b.png", "/dev/stdout"] {
        assert!(name.parse::<PlotFile>().is_ok(), "{name}");
    }
}

#[test]
fn nothing_is_drawn_of_charts_that_have_nothing_to_show() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nothing.svg");
    let file: PlotFile = path.to_str().unwrap().parse().unwrap();
    let empty = Chart { series: vec![Series::default()], ..charts().remove(0) };
    assert!(plot::write(vec![empty], &file).unwrap_err().to_string().contains("nothing to plot"));
    assert!(!path.exists());
}

/// Exit status and output of the command.
fn plot(words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_overhear")).arg("plot").args(words).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn every_kind_of_plot_is_drawn_of_a_run_that_has_it_or_says_what_is_missing() {
    let folder = Folder::new();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces/samples");
    let [a, b] = ["integer_sort-openmpi", "integer_sort-mpich"].map(|name| samples.join(name));
    let [a, b] = [a.to_str().unwrap(), b.to_str().unwrap()];
    let of_sample =
        ["breakdown", "imbalance", "sizes", "matrix", "waits", "pop", "progress", "availability", "collectives"];
    let rounds = recorded("fan_shapes").remove(0).run;
    let of_rounds = ["network", "fanout"].map(|kind| (rounds.to_str().unwrap(), kind));
    for (run, kind) in of_sample.map(|kind| (a, kind)).into_iter().chain(of_rounds) {
        let file = folder.0.join(format!("{kind}.svg"));
        assert_eq!(plot(&[run, kind, "-o", file.to_str().unwrap()]), (Some(0), String::new()), "{kind}");
        let picture = fs::read_to_string(&file).unwrap();
        assert!(picture.starts_with("<svg") && picture.contains("</text>"), "{kind}");
        if kind == "matrix" {
            let numbers = |text: &str| picture.lines().filter(|line| *line == text).count();
            assert_eq!(["0", "1", "2", "3"].map(numbers), [2; 4], "each of four ranks is named at both sides");
        }
    }
    let file = folder.0.join("picture.png");
    let to = ["-o", file.to_str().unwrap()];
    let blocking = two_ranks();
    let missing = [
        ("availability", "no nonblocking request"),
        ("collectives", "no collective call"),
        ("progress", "nothing to plot"),
    ];
    for (kind, missing) in missing {
        let (status, said) = plot(&[&[blocking.0.to_str().unwrap(), kind], &to[..]].concat());
        assert!(status == Some(3) && said.contains(missing), "{kind}: {said}");
        assert!(!file.exists());
    }
    assert_eq!(plot(&[&[a, b, "diff"], &to[..]].concat()).0, Some(0));
    assert!(fs::read(&file).unwrap().starts_with(b"\x89PNG"));
    let (status, said) = plot(&[&[a, "breakdown"], &to[..]].concat());
    assert!(status == Some(2) && said.contains("exists") && said.contains("--force"), "{said}");
    assert_eq!(plot(&[&[a, b, "scaling", "--force"], &to[..]].concat()).0, Some(0));
    let several = folder.0.join("several.svg");
    let to_several = ["scaling", "-o", several.to_str().unwrap()];
    assert_eq!(plot(&[&[a, rounds.to_str().unwrap(), b], &to_several[..]].concat()).0, Some(0));
    assert!(fs::read_to_string(&several).unwrap().contains("do not compare: fan_shapes; integer_sort<"));
    let sides = folder.0.join("sides.svg");
    let of_sides = |kind| plot(&[kind, "--a", a, a, "--b", b, "--force", "-o", sides.to_str().unwrap()]);
    assert_eq!(of_sides("diff"), (Some(0), String::new()));
    let drawn = fs::read_to_string(&sides).unwrap();
    assert!(drawn.contains("(integer_sort-openmpi), and 1 more run<") && drawn.contains("(integer_sort-mpich)<"));
    for (kind, needs) in [("waits", "one run, but 3 were given"), ("scaling", "runs that are named before it")] {
        let (status, said) = of_sides(kind);
        assert!(status == Some(2) && said.contains(needs), "{kind}: {said}");
    }
    for (runs, kind, needs) in
        [(vec![a, b], "sizes", "one run"), (vec![a], "diff", "two runs"), (vec![a, a, b], "diff", "two runs")]
    {
        let (status, said) = plot(&[&runs[..], &[kind, "--force"], &to].concat());
        assert!(status == Some(2) && said.contains(needs), "{kind}: {said}");
    }
}

#[test]
fn only_ranks_that_stand_together_are_said_to_be_means() {
    let bars = |folder: &Folder| charts::ranks(&Run::load(&folder.0).unwrap(), None);
    assert_eq!((bars(&two_ranks()).x.label.as_str(), bars(&two_ranks()).rows.len()), ("time", 2));
    let many = growing::run(64);
    let bars = bars(&many);
    assert_eq!((bars.x.label.as_str(), bars.rows.len()), ("mean of these ranks", 32));
    assert_eq!(bars.rows[1].name, "ranks 2 to 3");
}
