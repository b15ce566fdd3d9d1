//! Writes a table of the data set to a file, row by row: CSV for spreadsheets, with names made harmless as in reports; one
//! JSON object per line; and Parquet, as compressed columns.

use std::io::Write;
use std::sync::Arc;
use std::{io, iter};

use super::{Output, TableWriter};
use crate::parquet_file::{ParquetColumn, ParquetFile};
use crate::{DataSet, table};
use tables::csv::harmless;
use tables::json::escaped;
use tables::{Batch, Cell, ColumnHead, Unit, Values};

/// Rows in text, written once there are so many bytes of them.
const LINES: usize = 1 << 16;

pub struct CsvTable {
    names: Vec<NamesInText>,
    lines: Vec<u8>,
    out: Output,
}

impl CsvTable {
    /// Starts the file with the columns' keys.
    pub fn new(keys: &[String], out: Output) -> CsvTable {
        let mut lines = Vec::with_capacity(2 * LINES);
        for (at, key) in keys.iter().enumerate() {
            lines.extend((at > 0).then_some(b','));
            csv_field(key, &mut lines);
        }
        lines.push(b'\n');
        CsvTable { names: keys.iter().map(|_| NamesInText::new(csv_field)).collect(), lines, out }
    }
}

impl TableWriter for CsvTable {
    fn write(&mut self, batch: Batch) -> io::Result<()> {
        for (names, column) in self.names.iter_mut().zip(&batch.columns) {
            names.prepare(column);
        }
        for row in 0..batch.rows {
            for (at, (column, names)) in batch.columns.iter().zip(&self.names).enumerate() {
                self.lines.extend((at > 0).then_some(b','));
                names.cell(column, row, b"", &mut self.lines);
            }
            self.lines.push(b'\n');
            flush_above(LINES, &mut self.lines, &mut self.out)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<Output> {
        flush_above(0, &mut self.lines, &mut self.out)?;
        Ok(self.out)
    }
}

/// Adds a text that no spreadsheet takes for a formula, in quotes if it has to be (RFC 4180).
fn csv_field(text: &str, line: &mut Vec<u8>) {
    let text = harmless(text);
    if !text.contains([',', '"', '\r', '\n']) {
        return line.extend_from_slice(text.as_bytes());
    }
    line.push(b'"');
    line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    line.push(b'"');
}

pub struct JsonLines {
    /// Text before each value.
    keys: Vec<String>,
    names: Vec<NamesInText>,
    lines: Vec<u8>,
    out: Output,
}

impl JsonLines {
    pub fn new(keys: &[String], out: Output) -> JsonLines {
        let names = keys.iter().map(|_| NamesInText::new(json_text)).collect();
        let keys = keys.iter().enumerate().map(|(at, key)| format!("{}\"{key}\":", if at == 0 { '{' } else { ',' }));
        JsonLines { keys: keys.collect(), names, lines: Vec::with_capacity(2 * LINES), out }
    }
}

impl TableWriter for JsonLines {
    fn write(&mut self, batch: Batch) -> io::Result<()> {
        for (names, column) in self.names.iter_mut().zip(&batch.columns) {
            names.prepare(column);
        }
        for row in 0..batch.rows {
            for ((key, names), column) in self.keys.iter().zip(&self.names).zip(&batch.columns) {
                self.lines.extend_from_slice(key.as_bytes());
                names.cell(column, row, b"null", &mut self.lines);
            }
            self.lines.extend_from_slice(b"}\n");
            flush_above(LINES, &mut self.lines, &mut self.out)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<Output> {
        flush_above(0, &mut self.lines, &mut self.out)?;
        Ok(self.out)
    }
}

fn json_text(text: &str, line: &mut Vec<u8>) {
    line.extend_from_slice(escaped(&serde_json::Value::from(text).to_string()).as_bytes());
}

/// Writes the lines if they have more than `most` bytes.
fn flush_above(most: usize, lines: &mut Vec<u8>, out: &mut Output) -> io::Result<()> {
    if lines.len() > most {
        out.write_all(lines)?;
        lines.clear();
    }
    Ok(())
}

/// A column's names as the file has them: millions of rows have the same few.
struct NamesInText {
    in_text: fn(&str, &mut Vec<u8>),
    names: Arc<[String]>,
    texts: Vec<Vec<u8>>,
}

impl NamesInText {
    fn new(in_text: fn(&str, &mut Vec<u8>)) -> NamesInText {
        NamesInText { in_text, names: Arc::new([]), texts: Vec::new() }
    }

    /// Takes the names of a batch's column, if they are others.
    fn prepare(&mut self, column: &Values) {
        let Values::Name(_, names) = column else { return };
        if !Arc::ptr_eq(names, &self.names) {
            self.names = Arc::clone(names);
            self.texts = names.iter().map(|name| self.text(name)).collect();
        }
    }

    fn text(&self, name: &str) -> Vec<u8> {
        let mut text = Vec::new();
        (self.in_text)(name, &mut text);
        text
    }

    /// Adds the text of a cell; `null` is that of one without a value.
    #[inline]
    fn cell(&self, column: &Values, row: usize, null: &[u8], line: &mut Vec<u8>) {
        let mut text = |text: Option<&[u8]>| line.extend_from_slice(text.unwrap_or(null));
        let (mut whole, mut signed) = (itoa::Buffer::new(), itoa::Buffer::new());
        match column {
            Values::Name(cells, _) => text(cells.get(row).map(|name| self.texts[*name as usize].as_slice())),
            Values::Flag(cells) => text(cells.get(row).map(|flag| if *flag { &b"true"[..] } else { b"false" })),
            Values::Id(cells) => text(cells.get(row).map(|number| whole.format(*number).as_bytes())),
            Values::Whole(cells) => text(cells.get(row).map(|number| whole.format(*number).as_bytes())),
            Values::Signed(cells) => text(cells.get(row).map(|number| signed.format(*number).as_bytes())),
            // Spreadsheets would take NaN and infinities for text; JSON has none.
            Values::Real(cells) => match cells.get(row).filter(|number| number.is_finite()) {
                Some(number) => real(*number, line),
                None => text(None),
            },
            Values::Text(cells) => match cells.get(row) {
                Some(text) => (self.in_text)(text, line),
                None => text(None),
            },
            Values::Label(_) | Values::Rank(_) | Values::ByRow(_) => {
                unreachable!("no table of the data set has such a column")
            }
        }
    }
}

const LONGEST_EXPONENT: usize = "e-324".len();

/// From here on, a number may lie just between two of 17 digits, and `Display` chooses the other one.
const FEW_BINARY_PLACES: f64 = (1_u64 << 40) as f64;

/// Adds a finite number in the fewest digits that read back the same, without an exponent: as `Display` does, in a fifth of the time.
fn real(number: f64, line: &mut Vec<u8>) {
    if number.abs() >= FEW_BINARY_PLACES {
        return line.extend_from_slice(number.to_string().as_bytes());
    }
    let mut digits = zmij::Buffer::new();
    let text = digits.format_finite(number);
    let end = &text.as_bytes()[text.len().saturating_sub(LONGEST_EXPONENT)..];
    if !end.contains(&b'e') {
        return line.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
    }
    // One digit is before the point, and the exponent is negative.
    let (mantissa, exponent) = text.split_once("e-").unwrap_or((text, "1"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, digit) = whole.split_at(whole.len() - 1);
    line.extend_from_slice(sign.as_bytes());
    line.extend_from_slice(b"0.");
    line.extend(iter::repeat_n(b'0', exponent.parse().map_or(0, |places: usize| places - 1)));
    line.extend_from_slice(digit.as_bytes());
    line.extend_from_slice(part.as_bytes());
}

pub struct ParquetTable(ParquetFile<Output>);

impl ParquetTable {
    pub fn new(columns: &[ColumnHead], out: Output) -> io::Result<ParquetTable> {
        let columns: Vec<ParquetColumn<'_>> = columns.iter().map(parquet_column).collect();
        Ok(ParquetTable(ParquetFile::new(&columns, out)?))
    }
}

fn parquet_column(head: &ColumnHead) -> ParquetColumn<'_> {
    ParquetColumn {
        key: &head.key,
        column_type: head.unit.column_type(),
        is_optional: head.is_optional,
        grows: matches!(head.unit, Unit::Ticks | Unit::Number),
    }
}

impl TableWriter for ParquetTable {
    fn write(&mut self, batch: Batch) -> io::Result<()> {
        self.0.write(batch)
    }

    fn finish(self: Box<Self>) -> io::Result<Output> {
        self.0.finish()
    }
}

/// Shows each row of a rank in a table, and adds up the results of `show`.
pub fn each(
    set: &DataSet<'_>,
    name: &str,
    at: usize,
    keys: &[&str],
    show: &mut dyn FnMut(&[Cell<'_>]) -> std::io::Result<u64>,
) -> std::io::Result<u64> {
    let Some(table) = table(set, name) else { return Ok(0) };
    let columns = &table.head().columns;
    let wanted: Vec<usize> = keys.iter().filter_map(|key| columns.iter().position(|head| head.key == *key)).collect();
    let mut sum = 0;
    for part in (0..table.parts().len()).filter(|part| table.parts()[*part] == at) {
        table.read(part, &wanted, &mut |batch| {
            for row in 0..batch.rows {
                let cells: Vec<Cell<'_>> = batch.columns.iter().map(|column| column.cell(row)).collect();
                sum += show(&cells)?;
            }
            Ok(())
        })?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::{csv_field, real};

    #[test]
    fn numbers_have_the_digits_of_display() {
        let exact = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            1e15,
            1e16,
            1.5e17,
            123_456_789.123_456_78,
            1e-5,
            1.25e-6,
            -3.7e-9,
            5e-324,
            f64::MAX,
        ];
        // Nanoseconds as seconds, and ticks of a counter, up to a day.
        let times = (0..40_000_u64).map(|at| (at * at * 54_001) as f64 / 1e9);
        let ticks = (0..40_000_u64).map(|at| (at * at * 54_001) as f64 * (1.0 / 2_593_906_000.0));
        let any = (0..100_000_u64)
            .map(|at| f64::from_bits(at.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            .filter(|one| one.is_finite());
        let mut line = Vec::new();
        for number in exact.into_iter().chain(times).chain(ticks).chain(any) {
            line.clear();
            real(number, &mut line);
            assert_eq!(str::from_utf8(&line), Ok(number.to_string().as_str()));
        }
    }

    #[test]
    fn a_field_is_read_back_as_it_was() {
        let texts = ["", "MPI_Send", "a, b", "say \"b\"", "ring.c:41", "\""];
        let mut line = Vec::new();
        for text in texts {
            csv_field(text, &mut line);
            line.push(b',');
        }
        line.push(b'\n');
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_slice());
        let record = reader.records().next().unwrap().unwrap();
        assert_eq!(record.iter().take(texts.len()).collect::<Vec<_>>(), texts);
    }
}
