//! Passing one argument from C to Fortran and back.

/// Code for one argument, in both languages.
pub struct Passing {
    pub name: &'static str,
    /// Fortran's declaration; empty if Fortran passes a constant.
    pub declaration: String,
    /// Fortran's actual argument to MPI.
    pub actual: String,
    /// C code before the call.
    pub before: String,
    /// The address that C passes.
    pub reference: String,
    /// Length of a text, which C passes after all arguments.
    pub length: Option<String>,
    /// C code after the call.
    pub after: String,
}

impl Passing {
    /// An argument of this type and shape, by C's own address.
    pub fn new(name: &'static str, of: &str, shape: &str) -> Passing {
        Passing::declared(name, format!("{of} :: {name}{shape}"))
    }

    /// An argument with this declaration, by C's own address.
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

    /// A Fortran constant; C passes nothing.
    pub fn constant(name: &'static str, constant: &str) -> Passing {
        Passing { actual: constant.into(), ..Passing::declared(name, String::new()) }
    }

    pub fn is_constant(&self) -> bool {
        self.declaration.is_empty()
    }

    /// Name of the C variable with the Fortran value.
    pub fn variable(name: &str) -> String {
        format!("{name}_f")
    }

    /// Passes a separate C variable with this declaration.
    pub fn own(self, declaration: &str) -> Passing {
        let reference = Passing::variable(self.name);
        self.before(declaration).reference(&reference)
    }

    pub fn before(self, before: &str) -> Passing {
        Passing { before: format!("    {before}\n"), ..self }
    }

    pub fn reference(self, reference: &str) -> Passing {
        Passing { reference: reference.into(), ..self }
    }

    pub fn length(self, length: &str) -> Passing {
        Passing { length: Some(length.into()), ..self }
    }

    pub fn after(self, after: &str) -> Passing {
        Passing { after: format!("    {after}\n"), ..self }
    }
}
