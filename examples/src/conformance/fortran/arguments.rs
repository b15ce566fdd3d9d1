//! Fortran's form of each MPI argument: by its C type, and by kind or name if the type does not say enough.

use traces::calls::{ArgumentKind, Call};

use super::passing::Passing;
use crate::conformance::style::Style;

#[derive(Clone, Copy)]
pub struct FortranArgument {
    call: Call,
    name: &'static str,
    kind: ArgumentKind,
    style: Style,
}

/// Logical arguments besides all of kind [`ArgumentKind::Flag`].
const LOGICALS: [&str; 7] = ["commute", "flag", "high", "periods", "remain_dims", "reorder", "weighted"];

/// Array arguments besides those recognized by type or name.
const ARRAYS: [&str; 11] = [
    "coords",
    "destinations",
    "destweights",
    "dims",
    "edges",
    "f_status",
    "neighbors",
    "periods",
    "ranks2",
    "sources",
    "sourceweights",
];

/// MPI 1 functions that have addresses and sizes in default integers.
const NARROW: [&str; 10] = [
    "Address",
    "Attr_get",
    "Attr_put",
    "Keyval_create",
    "Type_extent",
    "Type_hindexed",
    "Type_hvector",
    "Type_lb",
    "Type_struct",
    "Type_ub",
];

/// Functions whose command line Fortran omits.
const NO_COMMAND_LINE: [&str; 3] = ["Init", "Init_thread", "Info_create_env"];

impl FortranArgument {
    /// The C function's arguments.
    pub fn all_of(call: Call, style: Style) -> impl Iterator<Item = FortranArgument> {
        call.row().arguments.iter().map(move |(name, kind)| FortranArgument { call, name, kind: *kind, style })
    }

    /// C declaration.
    pub fn parameter(self) -> String {
        match self.c_type() {
            "..." => "...".into(),
            "int (*)[3]" => format!("int (*{})[3]", self.name),
            of => format!("{of} {}", self.name),
        }
    }

    pub fn is_in_fortran(self) -> bool {
        let is_left_out = NO_COMMAND_LINE.contains(&self.call.row().name) && self.name.starts_with("arg");
        self.kind != ArgumentKind::Varargs && !is_left_out
    }

    pub fn passing(self) -> Passing {
        let base = self.c_type().trim_start_matches("const ").trim_end_matches(['*', ' ']);
        match base {
            "void" => self.untyped(),
            "int" | "int (*)[3]" | "MPI_Fint" => self.number(if self.is_logical() { "logical" } else { "integer" }),
            "MPI_Aint" if self.is_narrow() && self.kind == ArgumentKind::Aints => self.narrowed(),
            "MPI_Aint" => self.number(self.address()),
            "MPI_Count" => self.number("integer(kind=MPI_COUNT_KIND)"),
            "MPI_Offset" => self.number("integer(kind=MPI_OFFSET_KIND)"),
            "MPI_F08_status" => self.number("type(MPI_Status)"),
            "MPI_Status" => self.status(),
            "char" => self.text(),
            _ if base.ends_with("function") || base.ends_with("function_c") => self.callback(base),
            _ => self.handle(base),
        }
    }

    fn number(self, of: &str) -> Passing {
        let by_value = !self.c_type().ends_with(['*', ']']);
        Passing::new(self.name, of, self.shape()).reference(&format!(
            "{}{}",
            if by_value { "&" } else { "" },
            self.name
        ))
    }

    /// Addresses as default integers.
    fn narrowed(self) -> Passing {
        let own = Passing::variable(self.name);
        Passing::new(self.name, "integer", "(*)").own(&format!("MPI_Fint {own}[2] = {{{0}[0], {0}[1]}};", self.name))
    }

    /// Arguments that are plain addresses in C, `void *`.
    fn untyped(self) -> Passing {
        let value = || {
            let own = Passing::variable(self.name);
            Passing::new(self.name, self.address(), "")
                .before(&format!("MPI_Aint {own} = (MPI_Aint){};", self.name))
                .reference(&format!("&{own}"))
        };
        match self.name {
            "extra_state" => value(),
            "attribute_val" if self.call.row().name.ends_with("_get_attr") => {
                Passing::new(self.name, self.address(), "")
            }
            "attribute_val" if self.call.row().name == "Attr_get" => Passing::new(self.name, self.address(), ""),
            "attribute_val" => value(),
            "baseptr" | "buffer_addr" if self.is_2008() => Passing::new(self.name, "type(c_ptr)", ""),
            "baseptr" => Passing::new(self.name, self.address(), ""),
            _ => Passing::new(self.name, "integer", "(*)"),
        }
    }

    fn status(self) -> Passing {
        let all = self.kind == ArgumentKind::Statuses;
        let (of, shape) = match (self.is_2008(), all) {
            (true, false) => ("type(MPI_Status)", ""),
            (true, true) => ("type(MPI_Status)", "(*)"),
            (false, false) => ("integer", "(MPI_STATUS_SIZE)"),
            (false, true) => ("integer", "(MPI_STATUS_SIZE, *)"),
        };
        let own = Passing::variable(self.name);
        let arguments = format!("{}, {own}, {}", self.name, all as u32);
        let passing = Passing::new(self.name, of, shape)
            .before(&format!("MPI_Fint {own}[2 * STATUS_SIZE];"))
            .reference(&format!("status_for({arguments})"));
        if self.kind == ArgumentKind::StatusIn { passing } else { passing.after(&format!("status_from({arguments});")) }
    }

    fn text(self) -> Passing {
        let (name, own) = (self.name, Passing::variable(self.name));
        let text = |shape: &str| Passing::new(name, "character(len=*)", shape);
        let words = |words: &str, shape: &str| {
            text(shape).own(&format!("char {own}[2][WORD]; words_for({own}, {words});")).length("(size_t)WORD")
        };
        match self.kind {
            ArgumentKind::Strs => words(name, "(*)"),
            ArgumentKind::Argvs => words(&format!("*{name}"), "(1, *)"),
            ArgumentKind::StrOut => text("")
                .own(&format!("char {own}[TEXT]; memset({own}, ' ', TEXT);"))
                .length("(size_t)TEXT")
                .after(&format!("text_from({name}, {own});")),
            // The actual argument must have this length, too.
            ArgumentKind::Str if name == "port_name" => {
                text("").own(&format!("char {own}[TEXT]; text_for({own}, {name});")).length("(size_t)TEXT")
            }
            _ => text("").length(&format!("strlen({name})")),
        }
    }

    fn callback(self, interface: &str) -> Passing {
        let constant = |constant: &str| Passing::constant(self.name, constant);
        let declaration = if self.is_2008() { format!("procedure({interface})") } else { "external".into() };
        let procedure = Passing::declared(self.name, format!("{declaration} :: {}", self.name));
        match self.kind {
            ArgumentKind::CommCopyFn => constant("MPI_COMM_NULL_COPY_FN"),
            ArgumentKind::CommDeleteFn => constant("MPI_COMM_NULL_DELETE_FN"),
            ArgumentKind::TypeCopyFn => constant("MPI_TYPE_NULL_COPY_FN"),
            ArgumentKind::TypeDeleteFn => constant("MPI_TYPE_NULL_DELETE_FN"),
            ArgumentKind::WinCopyFn => constant("MPI_WIN_NULL_COPY_FN"),
            ArgumentKind::WinDeleteFn => constant("MPI_WIN_NULL_DELETE_FN"),
            ArgumentKind::CopyFn => constant("MPI_NULL_COPY_FN"),
            ArgumentKind::DeleteFn => constant("MPI_NULL_DELETE_FN"),
            ArgumentKind::DatarepFn => constant("MPI_CONVERSION_FN_NULL"),
            ArgumentKind::GrequestQueryFn => procedure.reference("fortran_query"),
            ArgumentKind::GrequestFreeFn => procedure.reference("fortran_forget"),
            ArgumentKind::GrequestCancelFn => procedure.reference("fortran_cancel"),
            ArgumentKind::DatarepExtentFn => procedure.reference("fortran_file_extent"),
            // These take the same addresses in both languages.
            _ => procedure,
        }
    }

    fn handle(self, of: &str) -> Passing {
        let object = if of == "MPI_Datatype" { "Type" } else { of.trim_start_matches("MPI_") };
        let number = |handle: &str| format!("PMPI_{object}_c2f({handle})");
        let (name, own) = (self.name, Passing::variable(self.name));
        let back = |at: &str, from: u32| format!("{at} = PMPI_{object}_f2c({own}[{from}]);");
        let declared = if self.is_2008() { format!("type({of})") } else { "integer".into() };
        let own_words =
            |words: &str| Passing::new(name, &declared, self.shape()).own(&format!("MPI_Fint {own}{words};"));
        let one = |given: &str| own_words(&format!("[1] = {{{}}}", number(given)));
        if self.is_result() {
            own_words("[16]")
        } else if self.is_pair() {
            let both = [0, 1].map(|at| format!("{name}[{at}]"));
            let passing = own_words(&format!("[2] = {{{}, {}}}", number(&both[0]), number(&both[1])));
            let is_changed = matches!(self.kind, ArgumentKind::StartRequests | ArgumentKind::WaitRequests);
            let back = || format!("{} {}", back(&both[0], 0), back(&both[1], 1));
            if is_changed { passing.after(&back()) } else { passing }
        } else if !self.c_type().ends_with('*') {
            one(name)
        } else {
            let place = format!("*{name}");
            // A new handle has no value yet.
            let given = if self.is_new() { format!("{}_NULL", of.to_uppercase()) } else { place.clone() };
            one(&given).after(&back(&place, 0))
        }
    }

    fn shape(self) -> &'static str {
        let is_array = self.c_type().starts_with("const ") || self.name.starts_with("array_of_");
        // Elsewhere `indx` is one index.
        let is_graph = self.name == "indx" && self.kind == ArgumentKind::IntOut;
        match self.c_type() {
            "int (*)[3]" => "(3, *)",
            _ if is_array || is_graph || ARRAYS.contains(&self.name) => "(*)",
            _ => "",
        }
    }

    /// Integer type that holds an address.
    fn address(self) -> &'static str {
        if self.is_narrow() { "integer" } else { "integer(kind=MPI_ADDRESS_KIND)" }
    }

    fn c_type(self) -> &'static str {
        let (small, large) = self.kind.c_types();
        if self.call.is_large() { large } else { small }
    }

    fn is_2008(self) -> bool {
        self.style == Style::Module2008
    }

    fn is_narrow(self) -> bool {
        NARROW.contains(&self.call.row().name)
    }

    fn is_logical(self) -> bool {
        self.kind == ArgumentKind::Flag || LOGICALS.contains(&self.name)
    }

    fn is_new(self) -> bool {
        format!("{:?}", self.kind).starts_with("New")
    }

    /// True for datatypes in the result, which have to be freed and are not printed.
    fn is_result(self) -> bool {
        self.kind == ArgumentKind::DatatypesOut && self.call.row().name != "Type_struct"
    }

    /// True for two handles in one array, as the recipes pass them.
    fn is_pair(self) -> bool {
        use ArgumentKind::*;
        [SendTypes, RecvTypes, Datatypes, DatatypesOut, Infos, StartRequests, WaitRequests, PeekRequests]
            .contains(&self.kind)
    }
}
