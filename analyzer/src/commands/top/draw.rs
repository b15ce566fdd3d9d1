//! Draws the screen of `overhear top`.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Text};
use ratatui::widgets::Sparkline;

use super::history::KEPT;
use model::watch::STAY;
use tables::Sheet;
use tables::visible::visible;
use tables::wrapping::wrap_to;

/// Everything that is on the screen at a moment.
pub struct Picture {
    pub title: String,
    /// Who waits for whom.
    pub verdict: String,
    pub notes: Vec<String>,
    /// Percentages in MPI, and of ranks that have long been in one call, of the last minute.
    pub shares: Option<[Vec<u64>; 2]>,
    /// Headings, and a line for each row.
    pub lines: Vec<String>,
    /// The marked row; without one, lines have no headings that stay.
    pub cursor: Option<usize>,
    /// The filter, while it is typed.
    pub typed: Option<String>,
    pub help: &'static str,
    /// The table of ranks that keys act on.
    pub sheet: Sheet,
}

/// Screens lower than this show ranks only.
const LOW: u16 = 12;

/// Draws title, verdict, history, notes, headings, as many ranks as fit, and the keys.
pub fn draw(frame: &mut Frame<'_>, picture: &Picture) {
    let height = usize::from(frame.area().height);
    let is_low = frame.area().height < LOW;
    let shows_verdict = !is_low && !picture.verdict.is_empty();
    let wrapped = || wrap_to(&picture.verdict, 2, frame.area().width.into());
    let verdict = if shows_verdict { wrapped() } else { String::new() };
    let mut above: Vec<Line> = verdict.lines().map(|line| Line::from(line.to_string())).collect();
    let shares = picture.shares.as_ref().filter(|shares| !is_low && !shares[0].is_empty());
    // Notes get at most half of the screen.
    let notes = picture.notes.iter().take(height / 2);
    above.extend(notes.map(|note| Line::styled(visible(note).into_owned(), Style::new().italic())));
    let heights = [1, above.len(), 2 * usize::from(shares.is_some())];
    let room = height.saturating_sub(heights.iter().sum::<usize>() + 1);
    let heights =
        heights.into_iter().chain([room, usize::from(height > 1)]).map(|lines| Constraint::Length(lines as u16));
    let [title, words, history, table, help] = Layout::vertical(heights).areas(frame.area());
    frame.render_widget(
        Line::styled(format!("{}{}", picture.title, how_many(picture, room)), Style::new().bold()),
        title,
    );
    frame.render_widget(Text::from(above), words);
    if let Some(shares) = shares {
        draw_shares(frame, history, shares);
    }
    frame.render_widget(rows(picture, room), table);
    let keys = match &picture.typed {
        Some(typed) => Line::from(format!("rank, host, function or line: {typed}_   Enter keeps it, Esc drops it")),
        None => Line::styled(picture.help, Style::new().dim()),
    };
    frame.render_widget(keys, help);
}

/// The number of ranks that fit, if not all do.
fn how_many(picture: &Picture, room: usize) -> String {
    let ranks = picture.sheet.rows.len();
    let is_cut = picture.cursor.is_some() && ranks + 1 > room;
    if is_cut { format!(", {} of {ranks} ranks", room.saturating_sub(1)) } else { String::new() }
}

/// Two lines: percentages now, and the last minute as bars, the latest on the right.
fn draw_shares(frame: &mut Frame<'_>, area: Rect, shares: &[Vec<u64>; 2]) {
    let names = ["in MPI".into(), format!("in one call {STAY} s")];
    for ((name, values), line) in names.into_iter().zip(shares).zip(area.rows()) {
        let latest = values.last().copied().unwrap_or(0);
        let halves = Layout::horizontal([Constraint::Length(25), Constraint::Length(KEPT as u16)]);
        let [words, bars] = halves.areas(line);
        frame.render_widget(Line::from(format!("{name:17} {latest:3} %")), words);
        // The oldest are left out if there is no room.
        let first = values.len().saturating_sub(bars.width.into());
        frame.render_widget(Sparkline::default().max(100).data(&values[first..]), bars);
    }
}

/// Headings, and the rows around the marked one.
fn rows(picture: &Picture, room: usize) -> Text<'_> {
    let Some(cursor) = picture.cursor else {
        return picture.lines.iter().map(|line| Line::from(line.as_str())).collect();
    };
    let most = room.saturating_sub(1);
    let first = (cursor + 1).saturating_sub(most);
    let headings = picture.lines.iter().take(1).map(|line| Line::styled(line.as_str(), Style::new().underlined()));
    let ranks = picture.lines.iter().skip(1).enumerate().skip(first).take(most);
    let ranks = ranks.map(|(at, line)| {
        let style = if at == cursor { Style::new().reversed() } else { Style::new() };
        Line::styled(line.as_str(), style)
    });
    headings.chain(ranks).collect()
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::super::choice::{Choice, KeyEffect};
    use super::{Picture, draw};
    use tables::{Column, Row, Sheet, Table, WorldRank, text};

    struct Place {
        rank: u32,
        host: &'static str,
        function: &'static str,
        since: f64,
    }

    impl Row for Place {
        const TABLE: &'static str = "places";
        fn columns() -> Vec<Column<Self>> {
            vec![
                Column::rank("rank", "rank", |row: &Self| WorldRank { world: 0, number: Some(row.rank) }),
                Column::text("host", "host", |row: &Self| row.host.to_string()),
                Column::text("function", "function", |row: &Self| row.function.to_string()),
                Column::seconds("since_s", "since", |row: &Self| row.since),
            ]
        }
    }

    /// Six ranks on two nodes; rank 3 is longest where it is.
    fn ranks() -> Sheet {
        let place = |rank: u32| Place {
            rank,
            host: if rank < 6 { "n1" } else { "n2" },
            function: if rank == 3 { "MPI_Barrier" } else { "MPI_Recv" },
            since: 12.0 - f64::from(rank),
        };
        Table::new("", (3..9).map(place).collect()).into()
    }

    fn picture(choice: &mut Choice, notes: &[&str]) -> Picture {
        let sheet = choice.arrange(ranks()).unwrap();
        Picture {
            title: format!("top{}", choice.in_words(&sheet)),
            verdict: "Rank 4 waits for rank 3.".into(),
            notes: notes.iter().map(ToString::to_string).collect(),
            shares: Some([vec![0, 50, 100], vec![0, 0, 17]]),
            lines: text::lines(&sheet, false),
            cursor: Some(choice.cursor),
            typed: choice.is_typing.then(|| choice.filter.clone()),
            help: "q quits",
            sheet,
        }
    }

    fn screen(columns: u16, rows: u16, picture: &Picture) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|frame| draw(frame, picture)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let line =
            |row| (0..columns).map(|column| buffer[(column, row)].symbol()).collect::<String>().trim_end().to_string();
        (0..rows).map(line).collect()
    }

    fn press(choice: &mut Choice, key: KeyCode) -> KeyEffect {
        let sheet = choice.arrange(ranks()).unwrap();
        choice.press(KeyEvent::new(key, KeyModifiers::NONE), &sheet)
    }

    fn shown_ranks(choice: &mut Choice) -> Vec<String> {
        let sheet = choice.arrange(ranks()).unwrap();
        (0..sheet.rows.len()).map(|row| sheet.value(row, "rank").to_string()).collect()
    }

    #[test]
    fn a_screen_shows_verdict_history_and_all_ranks_if_there_is_room() {
        let whole = screen(80, 24, &picture(&mut Choice::default(), &["n2: not heard yet"]));
        assert_eq!(whole[..3], ["top by since", "Rank 4 waits for rank 3.", "n2: not heard yet"]);
        assert_eq!(whole[3..5], ["in MPI            100 %   ▄█", "in one call 0.5 s  17 %    ▁"]);
        assert_eq!(whole[5], "rank  host  function     since s");
        assert_eq!(whole[6], "   3  n1    MPI_Barrier   9.0000");
        assert_eq!((whole[11].trim_start().split(' ').next(), whole[23].as_str()), (Some("8"), "q quits"));
    }

    #[test]
    fn a_narrow_screen_shows_every_word_of_the_verdict() {
        let verdict = "Rank 4 has waited for rank 3 for 12.345 s in MPI_Recv at halo.c:112, and 7 others wait for it.";
        let narrow = Picture { verdict: verdict.into(), ..picture(&mut Choice::default(), &[]) };
        for columns in [30, 50, 79, 200] {
            let words = screen(columns, 24, &narrow).join(" ");
            let words: Vec<&str> = words.split_whitespace().collect();
            assert!(words.join(" ").contains(verdict), "{columns}: {words:?}");
        }
    }

    #[test]
    fn a_low_screen_shows_ranks_alone_and_says_how_many_and_follows_the_marked_one() {
        let mut choice = Choice::default();
        let small = screen(40, 5, &picture(&mut choice, &[]));
        assert_eq!(small[0], "top by since, 2 of 6 ranks");
        assert_eq!(small[2], "   3  n1    MPI_Barrier   9.0000");
        assert_eq!(small[4], "q quits");
        for _ in 0..9 {
            press(&mut choice, KeyCode::Down);
        }
        assert_eq!(screen(40, 5, &picture(&mut choice, &[]))[3], "   8  n2    MPI_Recv      4.0000");
        assert_eq!(screen(1, 1, &picture(&mut choice, &[])), ["t"]);
    }

    #[test]
    fn notes_leave_the_ranks_half_of_the_screen() {
        let notes = ["n1: not heard yet", "n2: not heard yet", "n3: not heard yet"];
        let screen = screen(40, 5, &picture(&mut Choice::default(), &notes));
        assert_eq!(screen[..3], ["top by since, 0 of 6 ranks", "n1: not heard yet", "n2: not heard yet"]);
        assert_eq!(screen[4], "q quits");
    }

    #[test]
    fn a_filter_is_a_list_of_ranks_or_part_of_a_host_or_function_and_esc_drops_it() {
        let mut choice = Choice::default();
        for (typed, ranks) in [("4,7-8", vec!["4", "7", "8"]), ("N2", vec!["6", "7", "8"]), ("barr", vec!["3"])] {
            press(&mut choice, KeyCode::Char('/'));
            for letter in typed.chars() {
                press(&mut choice, KeyCode::Char(letter));
            }
            assert!(screen(80, 24, &picture(&mut choice, &[]))[23].contains(typed));
            press(&mut choice, KeyCode::Enter);
            assert_eq!(shown_ranks(&mut choice), ranks, "{typed}");
            assert_eq!(press(&mut choice, KeyCode::Esc), KeyEffect::Changed);
            assert_eq!(shown_ranks(&mut choice).len(), 6);
        }
        assert_eq!(press(&mut choice, KeyCode::Esc), KeyEffect::Quit);
    }

    #[test]
    fn arrows_choose_the_column_to_sort_by_and_r_turns_the_order_round() {
        let mut choice = Choice::default();
        press(&mut choice, KeyCode::Right);
        assert_eq!(shown_ranks(&mut choice), ["3", "4", "5", "6", "7", "8"]);
        assert_eq!(choice.sort.as_deref(), Some("rank"));
        press(&mut choice, KeyCode::Char('r'));
        assert_eq!(shown_ranks(&mut choice), ["8", "7", "6", "5", "4", "3"]);
        press(&mut choice, KeyCode::Left);
        assert_eq!((choice.sort.as_deref(), choice.is_reversed), (Some("since_s"), false));
    }

    #[test]
    fn enter_opens_the_marked_rank_and_esc_closes_it() {
        let mut choice = Choice::default();
        press(&mut choice, KeyCode::Down);
        press(&mut choice, KeyCode::Enter);
        assert_eq!(choice.open, Some(WorldRank { world: 0, number: Some(4) }));
        assert_eq!(press(&mut choice, KeyCode::Esc), KeyEffect::Changed);
        assert_eq!((choice.open, press(&mut choice, KeyCode::Char('q'))), (None, KeyEffect::Quit));
    }
}
