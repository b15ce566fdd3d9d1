//! An argument's way from C to Fortran and back.

/// What is written for one argument, in both languages.
pub struct Passing {
    /// Its name.
    pub name: &'static str,
    /// What Fortran declares it as; empty where Fortran has a constant instead.
    pub declaration: String,
    /// What Fortran passes on to MPI.
    pub actual: String,
    /// What C does before.
    pub before: String,
    /// The address that C passes.
    pub reference: String,
    /// The length of a text, which C passes behind all arguments.
    pub length: Option<String>,
    /// What C does after.
    pub after: String,
}

impl Passing {
    /// Of a type and a shape, at an address that C has.
    pub fn new(name: &'static str, of: &str, shape: &str) -> Passing {
        Passing::declared(name, format!("{of} :: {name}{shape}"))
    }

    /// Declared so, at an address that C has.
    pub fn declared(name: &'static str, declaration: String) -> Passing {
        Passing {
            name,
            declaration,
            actual: name.into(),
            before: String::new(),
            reference: name.into(),
            length: None,
            after: String::new(),
        }
    }

    /// Nothing of C's, but a constant of Fortran's.
    pub fn constant(name: &'static str, constant: &str) -> Passing {
        Passing { actual: constant.into(), ..Passing::declared(name, String::new()) }
    }

    /// Whether nothing of C's is passed.
    pub fn is_constant(&self) -> bool {
        self.declaration.is_empty()
    }

    /// Its own variable in C.
    pub fn variable(name: &str) -> String {
        format!("{name}_f")
    }

    /// Passes a variable of its own, which C declares so.
    pub fn own(self, declaration: &str) -> Passing {
        let reference = Passing::variable(self.name);
        self.before(declaration).reference(&reference)
    }

    /// With something that C does before.
    pub fn before(self, before: &str) -> Passing {
        Passing { before: format!("    {before}\n"), ..self }
    }

    /// With another address that C passes.
    pub fn reference(self, reference: &str) -> Passing {
        Passing { reference: reference.into(), ..self }
    }

    /// With the length of a text.
    pub fn length(self, length: &str) -> Passing {
        Passing { length: Some(length.into()), ..self }
    }

    /// With something that C does after.
    pub fn after(self, after: &str) -> Passing {
        Passing { after: format!("    {after}\n"), ..self }
    }
}
