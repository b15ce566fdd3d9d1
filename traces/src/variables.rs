//! What an MPI library was set to, as text.

/// A control variable of the MPI library: an MCA parameter, or one of MPI_T.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: String,
    pub value: String,
    /// Where the value is from: a file with its line, `environment`, or what else the library calls it; empty for its default.
    pub from: String,
}

/// A line for each variable: its name, `=` and its value, and behind a tab where that is from, if it is no default. Lengths of
/// 700 short strings would take as much room again.
pub fn variables_text(variables: &[Variable]) -> String {
    let mut text = String::new();
    for Variable { name, value, from } in variables {
        let value = value.replace(|c: char| c.is_control(), " ");
        text += &format!("{name}={value}{}{from}\n", if from.is_empty() { "" } else { "\t" });
    }
    text
}

/// The variables of such a text.
pub fn variables_of(text: &str) -> Vec<Variable> {
    let of_line = |line: &str| {
        let (said, from) = line.split_once('\t').unwrap_or((line, ""));
        let (name, value) = said.split_once('=')?;
        Some(Variable { name: name.into(), value: value.into(), from: from.into() })
    };
    text.lines().filter_map(of_line).collect()
}
