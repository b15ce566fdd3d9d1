//! The filter of functions whose calls are recorded.

use crate::calls::{Call, Class};
use crate::suggest::instead;

/// The functions whose calls are recorded.
pub struct Filter {
    /// The filter as the user wrote it.
    pub text: String,
    recorded: Vec<bool>,
}

impl Filter {
    /// Parses `+NAME,-NAME,...`; a name without a sign is recorded. Everything but queries is recorded by default.
    pub fn parse(text: &str) -> Result<Filter, String> {
        let mut recorded = vec![true; Call::LIMIT];
        let mut set = |matches: &dyn Fn(Call) -> bool, to: bool| {
            for call in Call::all().filter(|call| matches(*call)) {
                if let Some(recorded) = recorded.get_mut(call.number() as usize) {
                    *recorded = to;
                }
            }
        };
        set(&|call| call.class() == Class::Query, false);
        for word in text.split([',', ' ']).filter(|word| !word.is_empty()) {
            let (to, name) = match (word.strip_prefix('+'), word.strip_prefix('-')) {
                (Some(name), _) => (true, name),
                (_, Some(name)) => (false, name),
                _ => (true, word),
            };
            let name = name.to_lowercase();
            let name = name.strip_prefix("mpi_").unwrap_or(&name);
            if name == "all" {
                set(&|_| true, to);
            } else if let Some(class) = Class::ALL.iter().find(|class| class.filter_name() == name) {
                set(&|call| call.class() == *class, to);
            } else if Call::all().any(|call| call.name().to_lowercase() == name) {
                // A function's name includes its large-count form.
                set(&|call| call.name().to_lowercase() == name || call.row().name.to_lowercase() == name, to);
            } else {
                let functions: Vec<String> = Call::all().map(|call| call.name().to_lowercase()).collect();
                let classes: Vec<String> = Class::ALL.iter().map(|class| class.filter_name()).collect();
                let classes: Vec<&str> = classes.iter().map(String::as_str).collect();
                let all: Vec<&str> = classes.iter().copied().chain(functions.iter().map(String::as_str)).collect();
                return Err(format!("no class or function is called {name}; {}", instead(name, &all, &classes)));
            }
        }
        // Everything is measured from the start to the end of MPI, and MPI_Pcontrol concerns all calls: these are
        // always recorded.
        set(&|call| call.class() == Class::Lifecycle || call == Call::Pcontrol, true);
        let text = if text.is_empty() { "-query".into() } else { text.into() };
        Ok(Filter { text, recorded })
    }

    /// True if calls of this function are recorded.
    pub fn records(&self, call: Call) -> bool {
        self.recorded.get(call.number() as usize).is_some_and(|recorded| *recorded)
    }

    /// True if queries at most are left out.
    pub fn records_all(&self) -> bool {
        Call::all().all(|call| call.class() == Class::Query || self.records(call))
    }
}
