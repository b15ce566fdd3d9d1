//! The user's choices on the screen: order, filter, and the open rank.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use model::error::Error;
use model::ranks::Ranks;
use tables::arrange::Top;
use tables::{ColumnHead, Format, Report, Sheet, Value, WorldRank, text};

/// Lines that PgUp and PgDn move by.
const PAGE: usize = 10;

#[derive(Default)]
pub struct Choice {
    /// Key of the column to sort by; without, the longest where they are come first.
    pub sort: Option<String>,
    pub is_reversed: bool,
    /// Text that rows must have, or a list of ranks.
    pub filter: String,
    /// The filter is being typed.
    pub is_typing: bool,
    /// Row that is marked.
    pub cursor: usize,
    /// Rank whose threads and requests are shown.
    pub open: Option<WorldRank>,
}

#[derive(PartialEq, Eq, Debug)]
pub enum KeyEffect {
    Quit,
    Changed,
    None,
}

impl Choice {
    /// Takes the rows that pass the filter, in the order that was chosen.
    pub fn arrange(&mut self, mut sheet: Sheet) -> Result<Sheet, Error> {
        let passes: Vec<bool> = (0..sheet.rows.len()).map(|row| self.passes(&sheet, row)).collect();
        let mut passes = passes.into_iter();
        sheet.rows.retain(|_| passes.next().unwrap_or(false));
        let mut report = Report { facts: Vec::new(), warnings: Vec::new(), tables: vec![sheet] };
        report.arrange(self.sort.as_deref(), Some(Top(usize::MAX)), Format::Text)?;
        let mut sheet = report.tables.remove(0);
        if self.is_reversed {
            sheet.rows.reverse();
        }
        self.cursor = self.cursor.min(sheet.rows.len().saturating_sub(1));
        Ok(sheet)
    }

    fn passes(&self, sheet: &Sheet, row: usize) -> bool {
        let asked = self.filter.trim().to_lowercase();
        if asked.is_empty() {
            return true;
        }
        if let (Ok(ranks), Value::Rank(rank)) = (asked.parse::<Ranks>(), sheet.value(row, "rank")) {
            return rank.number.is_some_and(|number| ranks.contain(number));
        }
        let has = |key| sheet.value(row, key).to_string().to_lowercase().contains(&asked);
        ["host", "state", "function", "site"].into_iter().any(has)
    }

    /// Changes the choices by a key, while `sheet` is on the screen.
    pub fn press(&mut self, key: KeyEvent, sheet: &Sheet) -> KeyEffect {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return KeyEffect::Quit;
        }
        if self.is_typing { self.type_filter(key.code) } else { self.command(key.code, sheet) }
    }

    fn type_filter(&mut self, key: KeyCode) -> KeyEffect {
        match key {
            KeyCode::Char(letter) => self.filter.push(letter),
            KeyCode::Backspace => drop(self.filter.pop()),
            KeyCode::Enter => self.is_typing = false,
            KeyCode::Esc => {
                self.filter.clear();
                self.is_typing = false;
            }
            _ => return KeyEffect::None,
        }
        self.cursor = 0;
        KeyEffect::Changed
    }

    fn command(&mut self, key: KeyCode, sheet: &Sheet) -> KeyEffect {
        let last = sheet.rows.len().saturating_sub(1);
        match key {
            KeyCode::Char('q') => return KeyEffect::Quit,
            KeyCode::Esc | KeyCode::Enter if self.open.is_some() => self.open = None,
            KeyCode::Esc if !self.filter.is_empty() => self.filter.clear(),
            KeyCode::Esc => return KeyEffect::Quit,
            KeyCode::Enter => self.open = self.marked(sheet),
            KeyCode::Char('/') if self.open.is_none() => self.is_typing = true,
            KeyCode::Char('r') => self.is_reversed = !self.is_reversed,
            KeyCode::Up => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Down => self.cursor = (self.cursor + 1).min(last),
            KeyCode::PageUp => self.cursor = self.cursor.saturating_sub(PAGE),
            KeyCode::PageDown => self.cursor = (self.cursor + PAGE).min(last),
            KeyCode::Left => self.sort_by(sheet, false),
            KeyCode::Right => self.sort_by(sheet, true),
            _ => return KeyEffect::None,
        }
        KeyEffect::Changed
    }

    fn marked(&self, sheet: &Sheet) -> Option<WorldRank> {
        if sheet.rows.is_empty() {
            return None;
        }
        if let Value::Rank(rank) = sheet.value(self.cursor, "rank") { Some(*rank) } else { None }
    }

    /// Sorts by the next column that is shown, or by the one before.
    fn sort_by(&mut self, sheet: &Sheet, forward: bool) {
        let keys: Vec<&str> = text::shown(sheet).into_iter().map(|at| sheet.columns[at].key.as_ref()).collect();
        let now = self.sort.as_deref().unwrap_or("since_s");
        let at = keys.iter().position(|key| *key == now).unwrap_or(0);
        let next = if forward { at + 1 } else { at + keys.len().saturating_sub(1) };
        self.sort = keys.get(next % keys.len().max(1)).map(ToString::to_string);
        self.is_reversed = false;
    }

    /// Order and filter, in words.
    pub fn in_words(&self, sheet: &Sheet) -> String {
        let sorted = self.sort.as_deref().unwrap_or("since_s");
        let is_meant = |column: &&ColumnHead| [&column.key, column.unit.bare(&column.key)].contains(&sorted);
        let column = sheet.columns.iter().find(is_meant);
        let heading = column.map_or(sorted, |column| column.heading.as_ref());
        let reversed = if self.is_reversed { ", reversed" } else { "" };
        let filter = if self.filter.is_empty() { String::new() } else { format!(", only {}", self.filter) };
        format!(" by {heading}{reversed}{filter}")
    }
}
