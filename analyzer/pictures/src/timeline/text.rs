//! A timeline in a terminal: a line per rank, a letter per bin, and sums that also count what is too short for a letter.

use super::share::{BinShare, percentages, shares};
use super::{Picture, label, rows_of_one, time_label};
use metrics::words::plural;
use model::levels::TimeClass;
use tables::visible::{visible, width};

/// Most lines; beyond it, neighboring ranks share a line.
const ROWS: usize = 32;
/// Most columns for a rank's name.
const NAME: usize = 12;

/// Above the percentages of a row.
const SUMS: &str = "  MPI %  wait %";

/// Bins that fit into `width` columns beside the rows' names.
pub fn columns(width: usize, labels: impl Iterator<Item = usize>) -> usize {
    let longest = labels.map(|label| label.min(NAME)).max().unwrap_or(0).max(4);
    // Groups of ranks are named by their first and last.
    width.saturating_sub((2 * longest + 1).min(NAME) + 1 + SUMS.len()).clamp(16, 1000)
}

pub fn lines(picture: &Picture<'_>, has_colors: bool) -> Vec<String> {
    let each = rows_of_one(picture.rows.len(), ROWS);
    let groups: Vec<_> = picture.rows.chunks(each).collect();
    let name = |text: &str| {
        let text: String = visible(text).chars().take(NAME).collect();
        format!("{text}{}", " ".repeat(NAME.saturating_sub(width(&text))))
    };
    let longest = groups.iter().map(|rows| width(&visible(&label(rows)))).max().unwrap_or(0).clamp(4, NAME);
    let head = |text: &str| name(text).chars().take(longest).collect::<String>();
    let mut lines = Vec::new();
    lines.extend(bands(picture).into_iter().map(|band| format!("{} {band}", head(""))));
    let mut seen = [false; TimeClass::ALL.len()];
    let mut waits = false;
    for rows in &groups {
        let shares = shares(rows, &picture.grid);
        for share in &shares {
            if let Some(class) = share.chief() {
                seen[class as usize] = true;
            }
            waits |= is_waiting(share);
        }
        let sums = percentages(rows, &picture.grid).map_or(String::new(), sums);
        let line = format!("{} {}{sums}", head(&label(rows)), row(&shares, has_colors));
        lines.push(line.trim_end().to_string());
    }
    lines.push(format!("{} {}{SUMS}", head(""), axis(picture)));
    lines.extend(legend(&seen, waits, has_colors, longest + 1 + picture.grid.count + SUMS.len()));
    if !picture.messages.is_empty() {
        lines.push(format!("{} between these ranks", plural(picture.messages.len() as u64, "message")));
    }
    lines
}

/// The percentages of a row, below which their names stand.
fn sums([in_mpi, waited]: [f64; 2]) -> String {
    format!("  {in_mpi:5.1}  {waited:6.1}")
}

/// Waits took most of the time in MPI.
fn is_waiting(share: &BinShare) -> bool {
    let in_mpi: f64 = 1.0 - share.of(TimeClass::Computation);
    share.waited > 0.5 * in_mpi && share.chief().is_some_and(|class| class != TimeClass::Computation)
}

fn row(shares: &[BinShare], has_colors: bool) -> String {
    let mut line = String::new();
    let mut last = None;
    for share in shares {
        let class = share.chief();
        if has_colors && class != last {
            line.push_str(&class.map_or("\x1b[0m".into(), |class| format!("\x1b[38;5;{}m", terminal(class))));
        }
        last = class;
        let sign = class.map_or(' ', letter);
        line.push(if is_waiting(share) { sign.to_ascii_uppercase() } else { sign });
    }
    if has_colors {
        line.push_str("\x1b[0m");
    }
    line
}

/// Regions of the two outermost depths, each with as much of its name as fits.
fn bands(picture: &Picture<'_>) -> Vec<String> {
    let deepest = picture.regions.iter().map(|region| region.depth).max();
    let depths = deepest.map_or(0, |deepest| deepest.min(1) + 1);
    let band = |depth: usize| {
        let mut line: Vec<char> = vec![' '; picture.grid.count];
        for region in picture.regions.iter().filter(|region| region.depth == depth) {
            let last = picture.grid.bin_at(region.to).min(picture.grid.count as i64 - 1).max(0) as usize;
            let first = picture.grid.bin_at(region.from).clamp(0, last as i64) as usize;
            line[first..=last].fill('-');
            line[first] = '[';
            line[last] = ']';
            let room = (last - first).saturating_sub(1);
            let text = visible(&region.name);
            // A character that is two columns wide would shift the rest of the line.
            let fits = |sign: char| width(sign.encode_utf8(&mut [0; 4])) == 1;
            for (place, sign) in text.chars().filter(|sign| fits(*sign)).take(room).enumerate() {
                line[first + 1 + place] = sign;
            }
        }
        line.into_iter().collect::<String>().trim_end().to_string()
    };
    (0..depths).map(band).collect()
}

fn axis(picture: &Picture<'_>) -> String {
    let (grid, length) = (&picture.grid, picture.grid.end() - picture.grid.from);
    let times = [grid.from, grid.from + length / 2, grid.end()];
    let [left, middle, right] = times.map(|at| time_label(at, length, length as f64 / 100.0));
    let room = grid.count.saturating_sub(left.chars().count() + right.chars().count());
    let length = middle.chars().count();
    if room < length + 4 {
        return format!("{left}{}{right}", " ".repeat(room));
    }
    let before = (grid.count / 2).saturating_sub(left.chars().count() + length / 2).min(room - length - 1);
    format!("{left}{}{middle}{}{right}", " ".repeat(before), " ".repeat(room - length - before))
}

fn legend(seen: &[bool], waits: bool, has_colors: bool, width: usize) -> Vec<String> {
    let entry = |class: &TimeClass| {
        let sign = letter(*class);
        let plain = format!("{sign} {}", class.name());
        let shown = match has_colors {
            true => format!("\x1b[38;5;{}m{sign}\x1b[0m {}", terminal(*class), class.name()),
            false => plain.clone(),
        };
        (plain.chars().count(), shown)
    };
    let there = TimeClass::ALL.iter().filter(|class| seen[**class as usize]);
    let mut entries: Vec<(usize, String)> = there.map(entry).collect();
    let capital = "capital: mostly waiting";
    entries.extend(waits.then(|| (capital.len(), capital.into())));
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
    for (length, text) in entries {
        if used > 0 && used + 2 + length > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push_str("  ");
        }
        used += length + if used > 0 { 2 } else { 0 };
        line.push_str(&text);
    }
    lines.push(line);
    lines
}

/// Closest color of a terminal with 256 colors.
fn terminal(class: TimeClass) -> u8 {
    match class {
        TimeClass::Computation => 250,
        TimeClass::PointToPoint => 25,
        TimeClass::Completion => 75,
        TimeClass::Collective => 166,
        TimeClass::OneSided => 36,
        TimeClass::File => 175,
        TimeClass::Other => 178,
        TimeClass::Open => 88,
    }
}

/// Letter of a class on terminals without colors.
fn letter(class: TimeClass) -> char {
    match class {
        TimeClass::Computation => '.',
        TimeClass::PointToPoint => 'p',
        TimeClass::Completion => 't',
        TimeClass::Collective => 'c',
        TimeClass::OneSided => 'o',
        TimeClass::File => 'f',
        TimeClass::Other => 'm',
        TimeClass::Open => '!',
    }
}
