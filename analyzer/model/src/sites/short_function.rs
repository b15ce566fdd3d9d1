//! Shortens the names of functions: demangled names of C++ hold all parameters and template arguments, in Rust and C nothing of that.

/// A function's name without its arguments and its template arguments: `Solver::step` for `void
/// Solver<double>::step(int)`.
pub fn short_function(name: &str) -> String {
    ShortForm::Name.of(name)
}

/// Parts of a function's name that are kept, from the fewest on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ShortForm {
    /// `Solver::step`
    Name,
    /// `Solver<double>::step`
    Templates,
    /// `Solver<double>::step(int)`
    Parameters,
}

impl ShortForm {
    pub const ALL: [ShortForm; 3] = [ShortForm::Name, ShortForm::Templates, ShortForm::Parameters];

    /// The name in this form; the whole name if it has no other part.
    pub fn of(self, name: &str) -> String {
        // Names of Rust's trait methods begin like this.
        if name.starts_with('<') || stands_for_function(name) {
            return name.into();
        }
        let mut reader = NameReader { rest: without_clones(name), form: self, short: String::new() };
        reader.read();
        let short = reader.short;
        let is_name = !short.is_empty() && !short.ends_with("::");
        if is_name { short } else { name.into() }
    }
}

/// The name without marks of copies that a compiler made of one function: `solve` for `solve [clone .isra.0]` and `solve.part.2`.
pub fn without_clones(name: &str) -> &str {
    let name = name.split(" [clone ").next().unwrap_or(name);
    let mut rest = name;
    loop {
        let (plain, number) = rest.rsplit_once('.').unwrap_or((rest, ""));
        let is_number = !number.is_empty() && number.bytes().all(|letter| letter.is_ascii_digit());
        let whole = if is_number { plain } else { rest };
        match CLONES.iter().find_map(|clone| whole.strip_suffix(clone)) {
            Some(before) if !before.is_empty() => rest = before,
            _ => return rest,
        }
    }
}

/// Marks of GCC and LLVM, which a number may follow.
const CLONES: [&str; 7] = [".isra", ".constprop", ".part", ".cold", ".lto_priv", ".llvm", ".localalias"];

/// True for words in place of a function's name, such as `(interpreter exit)`.
pub fn stands_for_function(name: &str) -> bool {
    name.starts_with('(') && name.find(')') == Some(name.len() - 1)
}

/// Reads a name from left to right.
struct NameReader<'a> {
    rest: &'a str,
    form: ShortForm,
    short: String,
}

/// Operators whose names hold brackets, longer ones first.
const OPERATORS: [&str; 14] = ["()", "[]", "<<=", ">>=", "<=>", "->*", "<<", ">>", "<=", ">=", "->", "<", ">", ","];

impl<'a> NameReader<'a> {
    fn read(&mut self) {
        while let Some(letter) = self.rest.chars().next() {
            let is_inside_word = self.short.ends_with(|last: char| last.is_alphanumeric() || last == '_');
            if !is_inside_word && self.rest.starts_with("operator") && self.operator() {
                continue;
            }
            match letter {
                '<' => {
                    let inside = self.bracketed('<', '>');
                    if self.form >= ShortForm::Templates {
                        self.short.push_str(inside);
                    }
                }
                '{' => self.unnamed(),
                '(' if self.rest.starts_with("(anonymous namespace)") => self.take("(anonymous namespace)".len()),
                '(' => {
                    let parameters = self.bracketed('(', ')');
                    if self.is_over() {
                        if self.form == ShortForm::Parameters {
                            self.short.push_str(parameters);
                            self.short.push_str(self.rest);
                        }
                        return;
                    }
                    self.skip_qualifiers();
                }
                '[' if self.rest.starts_with("[abi:") => drop(self.bracketed('[', ']')),
                // The return type of a template precedes its name.
                ' ' => {
                    self.short.clear();
                    self.rest = &self.rest[1..];
                }
                _ => self.take(letter.len_utf8()),
            }
        }
    }

    fn take(&mut self, bytes: usize) {
        let (taken, rest) = self.rest.split_at(bytes);
        self.short.push_str(taken);
        self.rest = rest;
    }

    /// Takes an operator's name. False if a longer word begins like this one.
    fn operator(&mut self) -> bool {
        let behind = &self.rest["operator".len()..];
        if let Some(symbol) = OPERATORS.iter().find(|symbol| behind.starts_with(**symbol)) {
            self.take("operator".len() + symbol.len());
            // A blank keeps the brackets of template arguments from those of the operator.
            if self.rest.starts_with(" <") {
                self.rest = &self.rest[1..];
            }
            return true;
        }
        match behind.chars().next() {
            // `operator new[]`, `operator bool`, `operator"" _km`: all up to the parameters.
            Some(' ' | '"') => {
                let end = self.rest.find('(').unwrap_or(self.rest.len());
                self.take(end);
                true
            }
            Some(next) => {
                if next.is_alphanumeric() || next == '_' {
                    return false;
                }
                self.take("operator".len());
                true
            }
            None => false,
        }
    }

    /// Takes a lambda without its parameters, as `{lambda#1}`: its operator is itself.
    fn unnamed(&mut self) {
        let whole = self.bracketed('{', '}');
        match (whole.find('('), whole.rfind(')')) {
            (Some(from), Some(to)) if self.form < ShortForm::Parameters && from < to => {
                self.short.push_str(&whole[..from]);
                self.short.push_str(&whole[to + 1..]);
            }
            _ => self.short.push_str(whole),
        }
        if whole.starts_with("{lambda") {
            self.rest = self.rest.strip_prefix("::operator()").unwrap_or(self.rest);
        }
    }

    /// Takes all up to the bracket that closes the first one; all if none does.
    fn bracketed(&mut self, open: char, close: char) -> &'a str {
        let mut depth = 0u32;
        let mut last = ' ';
        for (at, letter) in self.rest.char_indices() {
            // The arrow of a return type closes nothing.
            let is_arrow = letter == '>' && last == '-';
            last = letter;
            if letter == open {
                depth += 1;
            } else if letter == close && !is_arrow {
                depth -= 1;
                if depth == 0 {
                    let (inside, rest) = self.rest.split_at(at + letter.len_utf8());
                    self.rest = rest;
                    return inside;
                }
            }
        }
        std::mem::take(&mut self.rest)
    }

    /// True if nothing but qualifiers of the function follows its parameters.
    fn is_over(&self) -> bool {
        let qualifiers = [" const", " volatile", " noexcept", " &", "&"];
        let mut rest = self.rest;
        while let Some(behind) = qualifiers.iter().find_map(|qualifier| rest.strip_prefix(qualifier)) {
            rest = behind;
        }
        rest.is_empty()
    }

    /// Leaves out the qualifiers of a function in which the named one lies.
    fn skip_qualifiers(&mut self) {
        while let Some(behind) = [" const", " volatile", " &", "&"].iter().find_map(|one| self.rest.strip_prefix(one)) {
            self.rest = behind;
        }
    }
}

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

    #[test]
    fn lambdas_operators_constructors_and_copies_keep_the_name_that_people_say() {
        for (name, short) in [
            ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}"),
            ("gmx::run(int)::{lambda(gmx::Range<int>, auto:1)#2}::operator()(int) const", "gmx::run::{lambda#2}"),
            ("Grid::sum() const::{lambda()#1}::operator()() const [clone .isra.0]", "Grid::sum::{lambda#1}"),
            ("std::ostream& operator<< <char>(std::ostream&, char const*)", "operator<<"),
            ("bool ns::operator< <int>(ns::A<int> const&, ns::A<int> const&)", "ns::operator<"),
            ("Vec<double>::operator[](unsigned long) const", "Vec::operator[]"),
            ("Vec<double>::operator->()", "Vec::operator->"),
            ("Vec<double>::operator+=(double)", "Vec::operator+="),
            ("Flag::operator bool() const", "Flag::operator bool"),
            ("operator new[](unsigned long)", "operator new[]"),
            ("operators::apply(int)", "operators::apply"),
            ("LAMMPS_NS::Comm::Comm(LAMMPS_NS::LAMMPS*)", "LAMMPS_NS::Comm::Comm"),
            ("Domain<3>::~Domain()", "Domain::~Domain"),
            ("file_name[abi:cxx11](int)", "file_name"),
            ("decltype ((get)()) ns::both<int>(int)", "ns::both"),
            ("halo_exchange.isra.0", "halo_exchange"),
            ("halo_exchange.constprop.0.isra.0", "halo_exchange"),
            ("solve._omp_fn.3", "solve._omp_fn.3"),
            ("void f<&(g(int))>(int)", "f"),
            ("std::function<void (int)>::operator()(int) const", "std::function::operator()"),
        ] {
            assert_eq!(short_function(name), short, "{name}");
        }
    }

    #[test]
    fn longer_forms_add_template_arguments_and_parameters() {
        let forms = |name| ShortForm::ALL.map(|form| form.of(name));
        assert_eq!(
            forms("void pack<float, 3>(float const*, int) [clone .constprop.1]"),
            ["pack", "pack<float, 3>", "pack<float, 3>(float const*, int)"]
        );
        assert_eq!(
            forms("Grid<double>::at(int) const"),
            ["Grid::at", "Grid<double>::at", "Grid<double>::at(int) const"]
        );
    }

    #[test]
    fn what_is_no_name_is_never_lost_or_cut_within_a_letter() {
        for name in
            ["", "<", "(", "{", "f(", "f<", "f<int", "{lambda(", "operator", "a b", "é<ü>(ö", "void (*f(int))(double)"]
        {
            for form in ShortForm::ALL {
                assert!(name.is_empty() == form.of(name).is_empty(), "{name}");
            }
        }
    }
}
