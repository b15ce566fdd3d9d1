//! A timeline as SVG: a row per rank, the classes' shares stacked in each bin, and the waiting share below them.

use std::fmt::Write;

use super::share::{BinShare, shares};
use super::{Picture, label, rows_of_one, time_label};
use crate::palette::{GRAY, GROUND, INK, of_class};
use crate::plot::Drawn;
use model::levels::{RegionSpan, TimeClass};

const WIDTH: usize = 1200;
/// Maximum number of rows; beyond it, neighboring ranks share a row.
const ROWS: usize = 64;
/// Maximum number of messages drawn as lines.
const LINES: usize = 600;
const LETTER: usize = 7;
const MARGIN: usize = 14;
/// Heights of the axis, a band of regions, and a line of text.
const AXIS: usize = 34;
const BAND: usize = 16;
const LINE: usize = 22;

/// Bins beside labels of these lengths, two pixels each.
pub fn columns(labels: impl Iterator<Item = usize>) -> usize {
    (WIDTH - 2 * MARGIN - name_width(labels.max().unwrap_or(1))) / 2
}

fn name_width(letters: usize) -> usize {
    LETTER * (2 * letters + 1).clamp(5, 24) + 8
}

pub fn svg(picture: &Picture<'_>, svg: &mut String) -> Drawn {
    let each = rows_of_one(picture.rows.len(), ROWS);
    let groups: Vec<_> = picture.rows.chunks(each).collect();
    let letters = picture.rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(1);
    let left = MARGIN + name_width(letters);
    let height = (520 / groups.len().max(1)).clamp(8, 28);
    let depths = picture.regions.iter().map(|region| region.depth.min(2) + 1).max().unwrap_or(0);
    let top = MARGIN + 2 * LINE + depths * BAND + 6;
    let bottom = top + groups.len() * height;
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{all}\" viewBox=\"0 0 {WIDTH} {all}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"{ink}\">\n<rect width=\"100%\" height=\"100%\" fill=\"{ground}\"/>",
        ink = INK.on_white(),
        ground = GROUND.on_white(),
        all = bottom + AXIS + MARGIN / 2,
    )?;
    text(svg, MARGIN as f64, (MARGIN + 12) as f64, "font-size=\"15\"", &picture.title)?;
    let scale = Scale { left: left as f64, bin: (WIDTH - MARGIN - left) as f64 / picture.grid.count as f64 };
    let all: Vec<Vec<BinShare>> = groups.iter().map(|rows| shares(rows, &picture.grid)).collect();
    legend(svg, &all, (MARGIN + LINE + 14) as f64)?;
    bands(svg, picture, &scale, (MARGIN + 2 * LINE) as f64)?;
    rows(svg, &all, &scale, (top, height))?;
    for (at, rows) in groups.iter().enumerate() {
        // Labels that would touch are omitted.
        if at % (14usize.div_ceil(height)) == 0 {
            let y = top + at * height + height / 2 + 4;
            text(svg, (left - 6) as f64, y as f64, "text-anchor=\"end\"", &label(rows))?;
        }
    }
    messages(svg, picture, &scale, (top, height, each))?;
    axis(svg, picture, &scale, bottom)?;
    svg.push_str("</svg>\n");
    Ok(())
}

/// Position and width of bins.
struct Scale {
    left: f64,
    bin: f64,
}

impl Scale {
    fn edge(&self, bin: usize) -> f64 {
        self.left + self.bin * bin as f64
    }

    fn time(&self, picture: &Picture<'_>, at: i64) -> f64 {
        let share = (at - picture.grid.from) as f64 / picture.grid.width as f64;
        self.left + self.bin * share.clamp(0.0, picture.grid.count as f64)
    }
}

fn text(svg: &mut String, x: f64, y: f64, how: &str, text: &str) -> std::fmt::Result {
    write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {how}>")?;
    let shown = tables::visible::visible(text);
    for sign in shown.chars() {
        match sign {
            '<' => svg.push_str("&lt;"),
            '>' => svg.push_str("&gt;"),
            '&' => svg.push_str("&amp;"),
            sign => svg.push(sign),
        }
    }
    svg.push_str("</text>\n");
    Ok(())
}

/// One path per color; neighboring bins of equal height are merged.
fn rows(svg: &mut String, rows: &[Vec<BinShare>], scale: &Scale, (top, height): (usize, usize)) -> std::fmt::Result {
    let mut paths = vec![String::new(); TimeClass::ALL.len() + 1];
    let lane = (height as f64 * 0.2).max(2.0);
    let room = height as f64 - lane - 1.0;
    for (at, shares) in rows.iter().enumerate() {
        let y = (top + at * height) as f64;
        for class in TimeClass::ALL {
            // Begin and end in tenths of a pixel: smaller differences are invisible.
            let place = |share: &BinShare| {
                let below: f64 = TimeClass::ALL.iter().take_while(|other| **other != class).map(|c| share.of(*c)).sum();
                let (from, to) = (below * room, (below + share.of(class)) * room);
                ((from * 10.0).round() as i64, (to * 10.0).round() as i64)
            };
            // Computation is the background of the other classes.
            runs(&mut paths[class as usize], shares, scale, y, place)?;
        }
        let waits = |share: &BinShare| ((room * 10.0) as i64, ((room + lane * share.waited) * 10.0).round() as i64);
        runs(&mut paths[TimeClass::ALL.len()], shares, scale, y, waits)?;
    }
    let colors = TimeClass::ALL.iter().map(|class| of_class(*class)).chain([INK]).map(|hue| hue.on_white());
    for (path, color) in paths.iter().zip(colors).filter(|(path, _)| !path.is_empty()) {
        writeln!(svg, "<path fill=\"{color}\" shape-rendering=\"crispEdges\" d=\"{path}\"/>")?;
    }
    Ok(())
}

fn runs(
    path: &mut String,
    shares: &[BinShare],
    scale: &Scale,
    y: f64,
    place: impl Fn(&BinShare) -> (i64, i64),
) -> std::fmt::Result {
    let mut at = 0;
    while at < shares.len() {
        let (from, to) = place(&shares[at]);
        let same = shares[at..].iter().take_while(|share| place(share) == (from, to)).count();
        if to > from {
            let (x, width) = (scale.edge(at), scale.bin * same as f64);
            let (y, height) = (y + from as f64 / 10.0, (to - from) as f64 / 10.0);
            write!(path, "M{x:.1} {y:.1}h{width:.1}v{height:.1}h-{width:.1}z")?;
        }
        at += same;
    }
    Ok(())
}

fn legend(svg: &mut String, rows: &[Vec<BinShare>], y: f64) -> std::fmt::Result {
    let mut x = MARGIN as f64;
    let is_there = |class: &TimeClass| rows.iter().flatten().any(|share| share.of(*class) > 0.0);
    let waits = rows.iter().flatten().any(|share| share.waited > 0.0);
    let classes = TimeClass::ALL.iter().filter(|class| is_there(class)).map(|class| (of_class(*class), class.name()));
    for (hue, name) in classes.chain(waits.then_some((INK, "waiting, below"))) {
        let color = hue.on_white();
        writeln!(svg, "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\" fill=\"{color}\"/>", y - 11.0)?;
        text(svg, x + 17.0, y, "", name)?;
        x += (17 + LETTER * name.chars().count() + 18) as f64;
    }
    Ok(())
}

/// Bands of regions above the rows, with a name if it fits.
fn bands(svg: &mut String, picture: &Picture<'_>, scale: &Scale, top: f64) -> std::fmt::Result {
    let depth = |region: &RegionSpan| region.depth.min(2);
    for region in &picture.regions {
        let (from, to) = (scale.time(picture, region.from), scale.time(picture, region.to));
        let (y, width) = (top + (depth(region) * BAND) as f64, (to - from - 0.5).max(0.5));
        let height = BAND - 2;
        writeln!(
            svg,
            "<rect x=\"{from:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{}\"/>",
            GRAY.on_white()
        )?;
        let fits = (width as usize / LETTER).saturating_sub(1);
        let name: String = region.name.chars().take(fits).collect();
        if fits >= 3 || name.chars().count() == region.name.chars().count() {
            text(svg, from + 4.0, y + 11.0, "font-size=\"11\"", &name)?;
        }
    }
    Ok(())
}

/// Draws messages as lines if each rank has a row and there are few enough.
fn messages(svg: &mut String, picture: &Picture<'_>, scale: &Scale, rows: (usize, usize, usize)) -> std::fmt::Result {
    let (top, height, each) = rows;
    if each > 1 || picture.messages.len() > LINES {
        return Ok(());
    }
    let mut path = String::new();
    let y = |row: u32| (top + row as usize * height) as f64 + height as f64 * 0.4;
    for message in picture.messages {
        let (from, to) = (scale.time(picture, message.begin), scale.time(picture, message.end));
        write!(path, "M{from:.1} {:.1}L{to:.1} {:.1}", y(message.from), y(message.to))?;
    }
    if !path.is_empty() {
        writeln!(
            svg,
            "<path fill=\"none\" stroke=\"{}\" stroke-opacity=\"0.55\" stroke-width=\"0.8\" d=\"{path}\"/>",
            INK.on_white()
        )?;
    }
    Ok(())
}

/// Marks at round times.
fn axis(svg: &mut String, picture: &Picture<'_>, scale: &Scale, y: usize) -> std::fmt::Result {
    let (from, length) = (picture.grid.from, picture.grid.end() - picture.grid.from);
    let power = 10i64.pow(((length / 8).max(1) as f64).log10().floor() as u32);
    let step = [1, 2, 5, 10].into_iter().map(|times| times * power).find(|step| length / step <= 10).unwrap_or(length);
    let first = from.div_euclid(step) + i64::from(from.rem_euclid(step) > 0);
    let mut path = String::new();
    let marks = (first..).map(|number| number * step).take_while(|at| *at <= from + length);
    for at in marks {
        let x = scale.time(picture, at);
        write!(path, "M{x:.1} {y}v5")?;
        // The last label would not fit.
        if x < (WIDTH - MARGIN) as f64 - 24.0 {
            text(svg, x, (y + 20) as f64, "text-anchor=\"middle\"", &time_label(at, length, step as f64))?;
        }
    }
    let (left, right) = (scale.left, scale.edge(picture.grid.count));
    writeln!(svg, "<path fill=\"none\" stroke=\"{}\" d=\"M{left:.1} {y}H{right:.1}{path}\"/>", INK.on_white())
}
