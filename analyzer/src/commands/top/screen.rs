//! The screen of `overhear top`.

use std::io::{self, IsTerminal};
use std::mem;
use std::path::Path;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Style;
use ratatui::text::{Line, Text};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::nodes::NodeReaders;
use super::{SECOND, look_or_wait};
use model::error::Error;
use model::sites::Sites;
use model::watch::Watch;
use tables::text;
use tables::visible::visible;

/// Interval of checks for keys if stdin is not the terminal that is drawn on.
const ELSEWHERE: Duration = Duration::from_millis(50);

/// Draws a run's ranks every second until the user quits. Waits for a folder that does not exist yet or has no traces.
pub fn run(folder: &Path, mut watch: Watch, nodes: Option<NodeReaders>, keep: bool) -> Result<(), Error> {
    if !io::stdout().is_terminal() {
        return Err(Error::Setting("top draws on a terminal, and stdout is none: add --once or --metrics".into()));
    }
    // The existing data is read before the screen opens: that may take a while, and errors belong on the user's
    // terminal.
    look_or_wait(&mut watch)?;
    let mut terminal = ratatui::try_init().map_err(failed)?;
    let result = draw_until_quit(&mut terminal, folder, watch, nodes, keep);
    if io::stdout().is_terminal() {
        ratatui::restore();
    } else {
        // The terminal is gone, and stderr with it: restoring either would fail and panic.
        mem::forget(terminal);
    }
    result
}

fn failed(source: io::Error) -> Error {
    Error::Write { path: "the terminal".into(), source }
}

fn draw_until_quit(
    terminal: &mut ratatui::DefaultTerminal,
    folder: &Path,
    mut watch: Watch,
    mut nodes: Option<NodeReaders>,
    keep: bool,
) -> Result<(), Error> {
    let title = format!("overhear top {}", visible(&folder.display().to_string()));
    let mut sites = Sites::load(folder, &watch.ranks, keep);
    let mut known = places(&watch);
    loop {
        let lines = lines(folder, &watch, &sites)?;
        let notes = nodes.as_ref().map_or_else(Vec::new, NodeReaders::notes);
        let due = Instant::now() + SECOND;
        loop {
            terminal.draw(|frame| draw(frame, &title, &notes, &lines)).map_err(failed)?;
            match next(due).map_err(failed)? {
                Input::Quit => return Ok(()),
                Input::Resized => {}
                Input::None => break,
            }
        }
        nodes.iter_mut().for_each(|nodes| nodes.follow(&mut watch));
        look_or_wait(&mut watch)?;
        // Call sites are looked up once.
        if places(&watch) != known {
            sites = Sites::load(folder, &watch.ranks, keep);
            known = places(&watch);
        }
    }
}

/// The run, and the number of its ranks' call sites.
fn places(watch: &Watch) -> ([u8; 16], usize) {
    let run = watch.ranks.first().map(|rank| rank.header.run).unwrap_or_default();
    (run, watch.ranks.iter().map(|rank| rank.sites.len()).sum())
}

fn lines(folder: &Path, watch: &Watch, sites: &Sites) -> Result<Vec<String>, Error> {
    if watch.ranks.is_empty() {
        let why = if folder.exists() { "" } else { ": no such folder yet" };
        return Ok(vec![format!("no ranks yet{why}")]);
    }
    let mut printed = Vec::new();
    text::print(&super::report(watch, sites), &mut printed).map_err(failed)?;
    Ok(String::from_utf8_lossy(&printed).lines().map(String::from).collect())
}

/// Draws title, notes, headings, and as many ranks as fit.
fn draw(frame: &mut ratatui::Frame<'_>, title: &str, notes: &[String], lines: &[String]) {
    // Notes get at most half of the screen.
    let notes = &notes[..notes.len().min(usize::from(frame.area().height) / 2)];
    let room = usize::from(frame.area().height).saturating_sub(2 + notes.len());
    let ranks = lines.len().saturating_sub(1);
    let more = if ranks + 1 > room { format!(", {} of {ranks} ranks", room.saturating_sub(1)) } else { String::new() };
    let mut text = Text::from(Line::styled(format!("{title}{more}"), Style::new().bold()));
    notes.iter().for_each(|note| text.push_line(Line::styled(visible(note).into_owned(), Style::new().italic())));
    for (at, line) in lines.iter().take(room).enumerate() {
        let style = if at == 0 { Style::new().underlined() } else { Style::new() };
        text.push_line(Line::styled(line.clone(), style));
    }
    text.push_line(Line::styled("q quits", Style::new().dim()));
    frame.render_widget(text, frame.area());
}

/// User input.
enum Input {
    Quit,
    Resized,
    None,
}

/// Waits for input until the next frame is due.
fn next(due: Instant) -> io::Result<Input> {
    let left = || due.saturating_duration_since(Instant::now());
    loop {
        if is_gone(left())? {
            return Ok(Input::Quit);
        }
        // If keys do not come from the screen's terminal, that is checked this often.
        if event::poll(ELSEWHERE.min(left()))? {
            match event::read()? {
                Event::Key(key) if is_end(key) => return Ok(Input::Quit),
                Event::Resize(..) => return Ok(Input::Resized),
                _ => {}
            }
        } else if left().is_zero() {
            return Ok(Input::None);
        }
    }
}

fn is_end(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => true,
        KeyCode::Char('c') => key.modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}

/// Waits until there is input, a signal arrives, or `most` is over. Returns true if the terminal is gone: crossterm
/// would read the end of its file forever.
fn is_gone(most: Duration) -> io::Result<bool> {
    let timeout = Timespec::try_from(most).map_err(io::Error::other)?;
    let stdout = io::stdout();
    let mut screen = [PollFd::new(&stdout, PollFlags::IN)];
    match poll(&mut screen, Some(&timeout)) {
        Ok(_) => Ok(screen[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::draw;

    fn screen(columns: u16, rows: u16, notes: &[String]) -> Vec<String> {
        let lines = [
            "rank  is  function     with         since s  call site",
            "   3  in  MPI_Barrier  3 of 4 came     12.5  main.c:12",
        ]
        .map(String::from)
        .into_iter()
        .chain((4..9).map(|rank| format!("   {rank}  in  MPI_Recv")))
        .collect::<Vec<_>>();
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|frame| draw(frame, "overhear top run", notes, &lines)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let line =
            |row| (0..columns).map(|column| buffer[(column, row)].symbol()).collect::<String>().trim_end().to_string();
        (0..rows).map(line).collect()
    }

    #[test]
    fn a_screen_shows_all_ranks_if_there_is_room_and_says_how_many_if_not() {
        let whole = screen(80, 10, &[]);
        assert_eq!(whole[0], "overhear top run");
        assert_eq!(whole[2], "   3  in  MPI_Barrier  3 of 4 came     12.5  main.c:12");
        assert_eq!(whole[8], "q quits");
        let small = screen(40, 5, &[]);
        assert_eq!(small[0], "overhear top run, 2 of 6 ranks");
        assert_eq!(small[2], "   3  in  MPI_Barrier  3 of 4 came     1");
        assert_eq!(small[4], "q quits");
        assert_eq!(screen(1, 1, &[]), ["o"]);
    }

    #[test]
    fn notes_stand_above_the_ranks_and_leave_them_half_of_the_screen() {
        let notes = ["n1: not heard yet", "n2: not heard yet", "n3: not heard yet"].map(String::from);
        let screen = screen(40, 5, &notes);
        assert_eq!(screen[..3], ["overhear top run, 0 of 6 ranks", "n1: not heard yet", "n2: not heard yet"]);
        assert_eq!(screen[4], "q quits");
    }
}
