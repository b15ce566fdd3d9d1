//! Shortens the names of functions, for lines that hold many.

/// A function's name without its arguments and its template arguments: `Solver::step` for `void
/// Solver<double>::step(int)`.
pub fn short_function(name: &str) -> String {
    // Names of Rust's trait methods begin like this.
    if name.starts_with('<') || stands_for_function(name) {
        return name.into();
    }
    let mut short = String::new();
    let (mut depth, mut chars) = (0u32, name.char_indices());
    while let Some((at, letter)) = chars.next() {
        let rest = &name[at..];
        if let Some(kept) = KEPT.iter().find(|kept| rest.starts_with(**kept)) {
            if depth == 0 {
                short.push_str(kept);
            }
            for _ in 1..kept.chars().count() {
                chars.next();
            }
            continue;
        }
        match letter {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            '(' if depth == 0 && at > 0 => break,
            // The return type of a template precedes its name.
            ' ' if depth == 0 => short.clear(),
            _ if depth == 0 => short.push(letter),
            _ => {}
        }
    }
    let is_name = !short.is_empty() && !short.ends_with("::");
    if is_name { short } else { name.into() }
}

/// True for words in place of a function's name, such as `(interpreter exit)`.
pub fn stands_for_function(name: &str) -> bool {
    name.starts_with('(') && name.find(')') == Some(name.len() - 1)
}

/// Parts of names that hold brackets or blanks of their own.
const KEPT: [&str; 7] =
    ["operator()", "operator<<", "operator<", "operator>>", "operator>", "operator->", "(anonymous namespace)"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_arguments_and_what_templates_are_made_of() {
        for (name, short) in [
            ("main", "main"),
            ("solver::step", "solver::step"),
            ("Solver<double>::step(int, std::vector<double, std::allocator<double> > const&)", "Solver::step"),
            ("void apply<Laplace<3>, double>(Laplace<3> const&)", "apply"),
            ("(anonymous namespace)::sum(int)", "(anonymous namespace)::sum"),
            ("Sum::operator()(int) const", "Sum::operator()"),
            ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda"),
            ("heat::exchange::{{closure}}", "heat::exchange::{{closure}}"),
            ("<heat::Grid as heat::Halo>::exchange", "<heat::Grid as heat::Halo>::exchange"),
            ("app+0x12f0", "app+0x12f0"),
            ("(interpreter exit)", "(interpreter exit)"),
            ("(not told apart)", "(not told apart)"),
            ("?", "?"),
        ] {
            assert_eq!(short_function(name), short);
        }
    }
}
