//! The screen of `overhear top`.

use std::io::{self, IsTerminal};
use std::mem;
use std::path::Path;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event, KeyEvent};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::choice::{Choice, KeyEffect};
use super::draw::{Picture, draw};
use super::history::{History, Shares};
use super::nodes::NodeReaders;
use super::{SECOND, look_or_wait};
use metrics::stacks::stacks;
use metrics::top;
use metrics::words::rank_in_words;
use model::error::Error;
use model::sites::Sites;
use model::watch::Watch;
use tables::visible::visible;
use tables::{Sheet, WorldRank, text};

/// Interval of checks for keys if stdin is not the terminal that is drawn on.
const ELSEWHERE: Duration = Duration::from_millis(50);

/// Draws a run's ranks every second until the user quits. Waits for a folder that does not exist yet or has no traces.
pub fn run(
    folder: &Path,
    mut watch: Watch,
    nodes: Option<NodeReaders>,
    keep: bool,
    sort: Option<String>,
) -> Result<(), Error> {
    if !io::stdout().is_terminal() {
        return Err(Error::Setting("top draws on a terminal, and stdout is none: add --once or --metrics".into()));
    }
    // The existing data is read before the screen opens: that may take a while, and errors belong on the user's
    // terminal.
    look_or_wait(&mut watch)?;
    let sites = Sites::load(folder, &watch.ranks, keep);
    let known = places(&watch);
    let choice = Choice { sort, ..Choice::default() };
    let mut screen = Screen { folder, watch, nodes, sites, keep, known, history: History::default(), choice };
    // A column that does not exist is an error before anything is drawn.
    screen.picture()?;
    let mut terminal = ratatui::try_init().map_err(failed)?;
    let result = draw_until_quit(&mut terminal, screen);
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

fn draw_until_quit(terminal: &mut ratatui::DefaultTerminal, mut screen: Screen<'_>) -> Result<(), Error> {
    loop {
        screen.history.add(&screen.watch);
        let due = Instant::now() + SECOND;
        loop {
            let picture = screen.picture()?;
            terminal.draw(|frame| draw(frame, &picture)).map_err(failed)?;
            match next(due).map_err(failed)? {
                Input::Gone => return Ok(()),
                Input::Key(key) => {
                    if screen.choice.press(key, &picture.sheet) == KeyEffect::Quit {
                        return Ok(());
                    }
                }
                Input::Resized => {}
                Input::None => break,
            }
        }
        screen.look()?;
    }
}

/// A run, and the user's view of it.
struct Screen<'a> {
    folder: &'a Path,
    watch: Watch,
    nodes: Option<NodeReaders>,
    sites: Sites,
    /// Names of call sites are kept for later commands.
    keep: bool,
    /// The run and the number of call sites that `sites` was loaded for.
    known: ([u8; 16], usize),
    history: History,
    choice: Choice,
}

impl Screen<'_> {
    fn look(&mut self) -> Result<(), Error> {
        if let Some(nodes) = &mut self.nodes {
            nodes.follow(&mut self.watch);
        }
        look_or_wait(&mut self.watch)?;
        // Call sites are looked up once.
        let places = places(&self.watch);
        if places != self.known {
            if places.0 != self.known.0 {
                self.history = History::default();
            }
            self.sites = Sites::load(self.folder, &self.watch.ranks, self.keep);
            self.known = places;
        }
        Ok(())
    }

    fn picture(&mut self) -> Result<Picture, Error> {
        let mut picture = Picture {
            title: format!("overhear top {}", visible(&self.folder.display().to_string())),
            verdict: String::new(),
            notes: self.nodes.as_ref().map_or_else(Vec::new, NodeReaders::notes),
            shares: None,
            lines: Vec::new(),
            cursor: None,
            typed: None,
            help: HELP,
            sheet: self.choice.arrange(top::table(&self.watch, &self.sites).into())?,
        };
        let open = self.choice.open.and_then(|open| {
            let mut all = self.watch.ranks.iter().zip(&self.watch.views);
            all.find(|(rank, _)| WorldRank { world: rank.header.world, number: rank.number() } == open)
        });
        if let Some((rank, view)) = open {
            let host = visible(&rank.process.host).into_owned();
            picture.title += &format!(": {} on {host}, process {}", rank_in_words(rank), rank.header.pid);
            let here = stacks([(rank, view.spot)].into_iter(), &self.sites);
            let mut tables: Vec<Sheet> = vec![top::threads(rank, view, &self.sites).into(), here.into()];
            tables.retain(|sheet| !sheet.rows.is_empty() || !sheet.look.is_silent_empty);
            tables.push(top::requests(rank, view, &self.sites).into());
            picture.lines = tables.iter().flat_map(titled).collect();
            picture.shares = self.history.of(&rank.file).map(shown);
            picture.help = OPEN_HELP;
            return Ok(picture);
        }
        self.choice.open = None;
        if self.watch.ranks.is_empty() {
            let why = if self.folder.exists() { "" } else { ": no such folder yet" };
            picture.lines = vec![format!("no ranks yet{why}")];
            picture.help = "q quits";
            return Ok(picture);
        }
        picture.title += &self.choice.in_words(&picture.sheet);
        picture.verdict = top::verdict(&self.watch, &self.sites);
        picture.typed = self.choice.is_typing.then(|| self.choice.filter.clone());
        picture.cursor = Some(self.choice.cursor);
        picture.lines = text::lines(&picture.sheet, false);
        picture.shares = Some(shown(&self.history.total));
        Ok(picture)
    }
}

const HELP: &str = "q quits  / filters  ←→ sort  r reverses  ↑↓ Enter: a rank's threads, requests";
const OPEN_HELP: &str = "q quits  Esc: back to all ranks";

fn shown(shares: &Shares) -> [Vec<u64>; 2] {
    [shares.in_mpi.values(), shares.staying.values()]
}

/// A table below its title and an empty line.
fn titled(sheet: &Sheet) -> Vec<String> {
    let rows = if sheet.rows.is_empty() { Vec::new() } else { text::lines(sheet, false) };
    [sheet.look.title.clone()].into_iter().chain(rows).chain([String::new()]).collect()
}

/// The run, and the number of its ranks' call sites.
fn places(watch: &Watch) -> ([u8; 16], usize) {
    let run = watch.ranks.first().map(|rank| rank.header.run).unwrap_or_default();
    (run, watch.ranks.iter().map(|rank| rank.sites.len()).sum())
}

enum Input {
    /// The terminal is gone.
    Gone,
    Key(KeyEvent),
    Resized,
    None,
}

/// Waits for input until the next frame is due.
fn next(due: Instant) -> io::Result<Input> {
    let left = || due.saturating_duration_since(Instant::now());
    loop {
        if is_gone(left())? {
            return Ok(Input::Gone);
        }
        // If keys do not come from the screen's terminal, that is checked this often.
        if event::poll(ELSEWHERE.min(left()))? {
            match event::read()? {
                Event::Key(key) => return Ok(Input::Key(key)),
                Event::Resize(..) => return Ok(Input::Resized),
                _ => {}
            }
        } else if left().is_zero() {
            return Ok(Input::None);
        }
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
