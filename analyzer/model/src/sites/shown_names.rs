//! The functions of a run as people say them: without parameters and template arguments where the rest tells them apart.

use std::collections::{BTreeSet, HashMap};

use super::short_function::{ShortForm, stands_for_function, without_clones};

/// Short names of functions, by their whole names. Empty if whole names are to be shown.
#[derive(Default)]
pub struct ShownNames(HashMap<String, String>);

impl ShownNames {
    /// Names for all of these functions. Those that would have one name keep what tells them apart.
    pub fn of<'a>(functions: impl Iterator<Item = &'a str>) -> ShownNames {
        let functions: BTreeSet<&str> = functions.filter(|name| !stands_for_function(name)).collect();
        let mut meant: HashMap<String, BTreeSet<&str>> = HashMap::new();
        for name in &functions {
            for form in ShortForm::ALL {
                meant.entry(form.of(name)).or_default().insert(without_clones(name));
            }
        }
        let mut shown = HashMap::new();
        for name in functions {
            let mut forms = ShortForm::ALL.iter().map(|form| form.of(name));
            if let Some(short) = forms.find(|short| meant[short].len() == 1).filter(|short| short != name) {
                shown.insert(name.into(), short);
            }
        }
        ShownNames(shown)
    }

    /// The function's name to show.
    pub fn get<'a>(&'a self, function: &'a str) -> &'a str {
        self.0.get(function).map_or(function, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use addr2line::demangle_auto;

    #[test]
    fn functions_have_the_shortest_name_that_tells_them_apart() {
        let functions = [
            "dd_move_x(gmx_domdec_t*, float const (*) [3], gmx::ArrayRef<gmx::BasicVector<float> >, gmx_wallcycle*)",
            "void pack<float>(float*, int)",
            "void pack<double>(double*, int)",
            "reduce(int)",
            "reduce(double)",
            "reduce(double) [clone .isra.0]",
            "void reduce<int>(int)",
            "main",
        ];
        let names = ShownNames::of(functions.into_iter());
        assert_eq!(
            functions.map(|function| names.get(function)),
            [
                "dd_move_x",
                "pack<float>",
                "pack<double>",
                "reduce(int)",
                "reduce(double)",
                "reduce(double)",
                "reduce<int>",
                "main"
            ]
        );
        assert_eq!(names.get("of another run(int)"), "of another run(int)");
    }

    #[test]
    fn linker_names_of_molecular_dynamics_read_as_their_authors_say_them() {
        let symbols = [
            ("_Z9dd_move_xP12gmx_domdec_tPA3_KfN3gmx8ArrayRefINS3_11BasicVectorIfEEEEP13gmx_wallcycle", "dd_move_x"),
            ("_ZN9LAMMPS_NS9CommBrick12forward_commEi", "LAMMPS_NS::CommBrick::forward_comm"),
            ("_ZN9LAMMPS_NS9CommBrickC2EPNS_6LAMMPSE", "LAMMPS_NS::CommBrick::CommBrick"),
            ("_ZN3gmx12_GLOBAL__N_16reduceEi", "gmx::(anonymous namespace)::reduce"),
            ("_ZZN3gmx3runEiENKUliE_clEi", "gmx::run::{lambda#1}"),
            ("_ZN4GridIdE8exchangeERKSt6vectorIdSaIdEE.isra.0", "Grid::exchange"),
            ("_ZlsRSoRK4Grid", "operator<<"),
        ];
        let demangled = symbols.map(|(symbol, _)| demangle_auto(symbol.into(), None).into_owned());
        let names = ShownNames::of(demangled.iter().map(String::as_str));
        for ((_, said), function) in symbols.iter().zip(&demangled) {
            assert_eq!(names.get(function), *said, "{function}");
        }
    }
}
