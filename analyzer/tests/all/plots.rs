//! Pictures are compared with those that were looked at.

use std::fs;
use std::path::{Path, PathBuf};

use analyzer::report::plot::{Axis, AxisScale, AxisUnit, Chart, PlotFile, Series, chart};
use resvg::tiny_skia::Pixmap;

/// Where the pictures are that were looked at. `GOLDEN=write` makes them anew.
fn reference(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/plots").join(name)
}

/// Two charts with what makes pictures hard to read: many lines, long names, intervals, values that have no place.
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

#[test]
fn a_chart_is_drawn_as_it_was_when_somebody_looked_at_it() {
    for name in ["charts.svg", "charts.png"] {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let file: PlotFile = path.to_str().unwrap().parse().unwrap();
        chart::write(&charts(), &file).unwrap();
        let drawn = fs::read(&path).unwrap();
        if std::env::var_os("GOLDEN").is_some() {
            fs::create_dir_all(reference("")).unwrap();
            fs::write(reference(name), &drawn).unwrap();
        }
        let looked_at = fs::read(reference(name)).unwrap();
        // How a PNG is compressed depends on what else the program is built with; its pixels do not.
        let same = match name.ends_with("png") {
            true => Pixmap::decode_png(&drawn).unwrap() == Pixmap::decode_png(&looked_at).unwrap(),
            false => drawn == looked_at,
        };
        assert!(same, "{} is not {}", path.display(), reference(name).display());
    }
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
    assert!(chart::write(&[empty], &file).unwrap_err().to_string().contains("nothing to plot"));
    assert!(!path.exists());
}
