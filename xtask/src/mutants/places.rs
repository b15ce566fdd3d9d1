//! Finds mutations of a source file, by operators like those of cargo-mutants.
//!
//! In: the text of a file. Out: mutations by byte ranges of that text, which [`write`](super::written) puts beside the
//! original. Constants and patterns stay as they are, since no condition can stand there, and so do macros and tests.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use examples::workspace;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, BinOp, Block, Expr, ExprBinary, ExprMatch, ExprUnary, File, GenericArgument, ImplItemFn, ItemFn, ItemMod, Pat,
    PathArguments, ReturnType, Signature, Stmt, TraitItemFn, Type, UnOp,
};

/// Crates that get errors.
pub const CRATES: [&str; 2] = ["analyzer/model", "analyzer/metrics"];

/// The sources of all crates, by their path in the workspace, in order.
pub fn files() -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    for folder in CRATES {
        sources(&workspace().join(folder).join("src"), &mut files)?;
    }
    files.sort();
    let name = |path: &PathBuf| {
        let file = path.strip_prefix(workspace()).map_err(|error| error.to_string())?;
        Ok(file.display().to_string())
    };
    files.iter().map(name).collect()
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let listed = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for path in listed.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            sources(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

pub struct Planted {
    /// Path from the workspace's folder.
    pub file: String,
    pub mutation: Mutation,
}

impl Planted {
    pub fn in_words(&self) -> String {
        format!("{}:{}: {}", self.file, self.mutation.line, self.mutation.title)
    }
}

/// A change of a file.
pub struct Mutation {
    pub range: Range<usize>,
    pub edit: Edit,
    pub line: usize,
    /// Description of the change.
    pub title: String,
}

/// Form of the mutation beside the original.
#[derive(Clone, PartialEq, Debug)]
pub enum Edit {
    /// Replaces an expression by another.
    Instead(String),
    /// Returns this value early; the range is empty.
    Return(String),
    /// Skips a statement.
    Skipped,
    /// Keeps an arm of a match from matching; the range is empty, behind its pattern.
    Arm,
}

/// Mutations of a file, ordered by place.
pub fn of(text: &str) -> Result<Vec<Mutation>, String> {
    let file: File = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut places = Places { text, found: Vec::new() };
    places.visit_file(&file);
    Ok(places.found)
}

struct Places<'t> {
    text: &'t str,
    found: Vec<Mutation>,
}

impl Places<'_> {
    fn add(&mut self, at: &impl Spanned, edit: Edit, title: String) {
        let (range, line) = (at.span().byte_range(), at.span().start().line);
        self.found.push(Mutation { range, edit, line, title });
    }

    fn text_of(&self, of: &impl Spanned) -> &str {
        &self.text[of.span().byte_range()]
    }

    fn function(&mut self, signature: &Signature, block: &Block) {
        if block.stmts.is_empty() || signature.constness.is_some() {
            return;
        }
        let values = match &signature.output {
            ReturnType::Default => vec![String::new()],
            ReturnType::Type(_, of) => values(of),
        };
        let behind = block.brace_token.span.open().byte_range().end;
        for value in values {
            let title = format!("return {value} from {}", signature.ident);
            let line = signature.ident.span().start().line;
            self.found.push(Mutation { range: behind..behind, edit: Edit::Return(value), line, title });
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let is_for_tests = path.is_ident("cfg")
            && matches!(&attribute.meta, syn::Meta::List(list) if list.tokens.to_string().contains("test"));
        path.is_ident("test") || is_for_tests
    })
}

impl<'a> Visit<'a> for Places<'_> {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        if !is_test(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        if !is_test(&function.attrs) && function.sig.constness.is_none() {
            self.function(&function.sig, &function.block);
            visit::visit_block(self, &function.block);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'a ImplItemFn) {
        if function.sig.constness.is_none() {
            self.function(&function.sig, &function.block);
            visit::visit_block(self, &function.block);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'a TraitItemFn) {
        if let Some(block) = &function.default {
            self.function(&function.sig, block);
            visit::visit_block(self, block);
        }
    }

    // Constant evaluation cannot ask at run time.
    fn visit_item_const(&mut self, _: &'a syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'a syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'a syn::TraitItemConst) {}
    fn visit_item_static(&mut self, _: &'a syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'a syn::ItemEnum) {}
    fn visit_type(&mut self, _: &'a Type) {}
    fn visit_pat(&mut self, _: &'a Pat) {}
    fn visit_attribute(&mut self, _: &'a syn::Attribute) {}
    fn visit_expr_const(&mut self, _: &'a syn::ExprConst) {}
    fn visit_expr_repeat(&mut self, repeated: &'a syn::ExprRepeat) {
        self.visit_expr(&repeated.expr);
    }

    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Expr(Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_), Some(_)) = statement {
            let title = format!("skip {}", short(self.text_of(statement)));
            self.add(statement, Edit::Skipped, title);
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_expr_binary(&mut self, binary: &'a ExprBinary) {
        if !has_let(&binary.left) && !has_let(&binary.right) {
            let (left, right, old) =
                (self.text_of(&binary.left), self.text_of(&binary.right), self.text_of(&binary.op));
            let (left, right, old) = (left.to_string(), right.to_string(), old.to_string());
            for new in instead_of(&binary.op) {
                let title = format!("{new} instead of {old} in {}", short(self.text_of(binary)));
                self.add(binary, Edit::Instead(format!("({left}) {new} ({right})").unwrapped(&left, new)), title);
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'a ExprUnary) {
        if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) {
            let inner = self.text_of(&unary.expr).to_string();
            let title = format!("{} instead of {}", short(&inner), short(self.text_of(unary)));
            self.add(unary, Edit::Instead(inner), title);
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_match(&mut self, matched: &'a ExprMatch) {
        let has_rest = matched.arms.last().is_some_and(|arm| matches!(arm.pat, Pat::Wild(_)) && arm.guard.is_none());
        if has_rest {
            for arm in &matched.arms[..matched.arms.len() - 1] {
                self.arm(arm);
            }
        }
        visit::visit_expr_match(self, matched);
    }
}

trait Unwrapped {
    fn unwrapped(self, left: &str, operator: &str) -> String;
}

impl Unwrapped for String {
    /// Removes the parentheses around the target of an assignment.
    fn unwrapped(self, left: &str, operator: &str) -> String {
        let assigns = operator.ends_with('=') && !["==", "!=", "<=", ">="].contains(&operator);
        if assigns { self.replacen(&format!("({left})"), left, 1) } else { self }
    }
}

impl Places<'_> {
    fn arm(&mut self, arm: &Arm) {
        let title = format!("arm {} never matches", short(self.text_of(&arm.pat)));
        match &arm.guard {
            Some((_, guard)) if !has_let(guard) => self.add(guard.as_ref(), Edit::Instead("false".into()), title),
            Some(_) => {}
            None => {
                let (behind, line) = (arm.pat.span().byte_range().end, arm.pat.span().start().line);
                self.found.push(Mutation { range: behind..behind, edit: Edit::Arm, line, title });
            }
        }
    }
}

/// Finds a condition that binds names, and so must stay a chain.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        Expr::Paren(inner) => has_let(&inner.expr),
        _ => false,
    }
}

fn instead_of(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["==", ">", "<="],
        BinOp::Gt(_) => &["==", "<", ">="],
        BinOp::Le(_) => &[">", "<"],
        BinOp::Ge(_) => &["<", ">"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) => &["%", "*"],
        BinOp::Rem(_) => &["/", "+"],
        BinOp::BitAnd(_) => &["|", "^"],
        BinOp::BitOr(_) => &["&"],
        BinOp::BitXor(_) => &["|", "&"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) => &["+=", "/="],
        BinOp::MulAssign(_) => &["+=", "/="],
        BinOp::DivAssign(_) => &["*="],
        BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        _ => &[],
    }
}

fn values(of: &Type) -> Vec<String> {
    let Type::Path(path) = of else {
        return match of {
            Type::Reference(reference) if matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("str")) => {
                vec!["\"\"".into(), "\"xyzzy\"".into()]
            }
            Type::Tuple(tuple) => {
                let firsts = tuple.elems.iter().map(|of| values(of).into_iter().next());
                firsts.collect::<Option<Vec<_>>>().map(|all| format!("({})", all.join(", "))).into_iter().collect()
            }
            _ => Vec::new(),
        };
    };
    let Some(last) = path.path.segments.last() else { return Vec::new() };
    let inner = || match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(of) => Some(values(of)),
            _ => None,
        }),
        _ => None,
    };
    let around = |before: &str, after: &str| {
        inner().unwrap_or_default().iter().map(|value| format!("{before}{value}{after}")).collect::<Vec<_>>()
    };
    let strings = |all: &[&str]| all.iter().map(|value| value.to_string()).collect::<Vec<_>>();
    match last.ident.to_string().as_str() {
        "bool" => strings(&["true", "false"]),
        "u8" | "u16" | "u32" | "u64" | "usize" | "u128" => strings(&["0", "1"]),
        "i8" | "i16" | "i32" | "i64" | "isize" | "i128" => strings(&["0", "1", "-1"]),
        "f32" | "f64" => strings(&["0.0", "1.0", "-1.0"]),
        "String" => strings(&["String::new()", "String::from(\"xyzzy\")"]),
        "Option" => [strings(&["None"]), around("Some(", ")")].concat(),
        "Result" => around("Ok(", ")"),
        "Vec" => [strings(&["Vec::new()"]), around("vec![", "]")].concat(),
        _ => strings(&["Default::default()"]),
    }
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 60 { line } else { line.chars().take(57).chain("...".chars()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<String> {
        of(text).unwrap().into_iter().map(|mutation| mutation.title).collect()
    }

    #[test]
    fn operators_results_statements_and_arms_are_changed() {
        let text = "fn f(a: u32) -> bool { g(a); match a { 1 => true, _ => !(a < 2) } }";
        let expected = [
            "return true from f",
            "return false from f",
            "skip g(a);",
            "arm 1 never matches",
            "(a < 2) instead of !(a < 2)",
            "== instead of < in a < 2",
            "> instead of < in a < 2",
            "<= instead of < in a < 2",
        ];
        assert_eq!(titles(text), expected);
    }

    #[test]
    fn constants_patterns_macros_chains_and_tests_stay() {
        let text = "const A: u32 = 1 + 2; const fn f() -> u32 { A + 1 } fn g() { assert!(1 < 2); }
            #[cfg(test)] mod tests { fn h() -> u32 { 1 + 1 } }
            fn i(a: Option<u32>) { if let Some(b) = a && b < 1 {} let c = [0; 1 + 1]; }";
        let expected = ["return  from g", "return  from i", "== instead of < in b < 1", "> instead of < in b < 1"];
        assert_eq!(titles(text)[..4], expected);
        assert_eq!(titles(text).len(), 5);
    }
}
