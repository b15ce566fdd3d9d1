//! Finds the uses between the files of a crate.
//!
//! In: the sources as tokens, which leaves out comments and texts, and includes macros. Out: arrows from file to file.
//! A path leads to the file of the longest module that it begins with.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A module that has its own file, by its path from the crate's root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Module(Vec<String>);

impl Module {
    /// The module of this path.
    pub fn new(path: &[&str]) -> Module {
        Module(path.iter().map(|part| part.to_string()).collect())
    }

    /// `recorder/file`; of the crate's root, `lib`.
    pub fn name(&self) -> String {
        if self.0.is_empty() { "lib".into() } else { self.0.join("/") }
    }

    /// True if it lies in another.
    pub fn is_inside(&self, other: &Module) -> bool {
        self.0.len() > other.0.len() && self.0.starts_with(&other.0)
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// The files of a crate, with their code and their uses.
pub struct Sources {
    texts: BTreeMap<Module, String>,
    /// Pairs of a file and a file that it uses.
    pub arrows: BTreeSet<(Module, Module)>,
}

impl Sources {
    /// Reads a crate's `src`.
    pub fn read(src: &Path) -> Sources {
        let mut sources = Sources { texts: BTreeMap::new(), arrows: BTreeSet::new() };
        sources.add(src, &Module(Vec::new()));
        assert!(sources.texts.contains_key(&Module(Vec::new())), "{} has no lib.rs or main.rs", src.display());
        sources.arrows = sources.arrows();
        sources
    }

    fn add(&mut self, folder: &Path, module: &Module) {
        for entry in fs::read_dir(folder).expect("a folder of sources").map(|entry| entry.expect("an entry").path()) {
            let stem = entry.file_stem().expect("a name").to_string_lossy().into_owned();
            let is_root = stem == "mod"
                || (module.0.is_empty() && (stem == "lib" || (stem == "main" && !folder.join("lib.rs").exists())));
            let mut inner = module.clone();
            if !is_root {
                inner.0.push(stem);
            }
            if entry.is_dir() {
                self.add(&entry, &inner);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                self.texts.insert(inner, fs::read_to_string(&entry).expect("a source"));
            }
        }
    }

    /// All files with their number of lines.
    pub fn lengths(&self) -> impl Iterator<Item = (&Module, usize)> {
        self.texts.iter().map(|(file, text)| (file, text.lines().count()))
    }

    /// All files.
    pub fn files(&self) -> impl Iterator<Item = &Module> {
        self.texts.keys()
    }

    /// The types that files make public, with the file.
    pub fn public_types(&self) -> impl Iterator<Item = (&Module, &str)> {
        self.texts.iter().flat_map(|(file, text)| text.lines().filter_map(public_type).map(move |name| (file, name)))
    }

    /// The words of each file's code.
    pub fn words(&self) -> impl Iterator<Item = (&Module, BTreeSet<String>)> {
        self.texts.iter().map(|(file, text)| {
            let mut words = BTreeSet::new();
            add_words(text.parse().unwrap_or_else(|error| panic!("{file}: {error}")), &mut words);
            (file, words)
        })
    }

    fn arrows(&self) -> BTreeSet<(Module, Module)> {
        let mut arrows = BTreeSet::new();
        let names: BTreeSet<String> = self.texts.keys().map(Module::name).collect();
        let is_module = |name: &str| names.contains(name);
        let root = Module(Vec::new());
        let handed_out = paths(&self.texts[&root], &root, &is_module);
        for (file, text) in &self.texts {
            for path in paths(text, file, &is_module) {
                let mut used = self.file_of(&path);
                // A name that the crate's root re-exports belongs to the file that declares it.
                let behind = handed_out.iter().find(|handed| handed.ends_with(&format!("/{path}")));
                if let (true, Some(behind)) = (used == root && *file != root, behind) {
                    used = self.file_of(behind);
                }
                if used != *file {
                    arrows.insert((file.clone(), used));
                }
            }
        }
        arrows
    }

    /// The longest module that a path begins with.
    fn file_of(&self, path: &str) -> Module {
        let path: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let whole = (0..=path.len()).rev().map(|parts| Module::new(&path[..parts]));
        whole.into_iter().find(|module| self.texts.contains_key(module)).expect("the crate's root at least")
    }
}

/// The type that a line makes public.
fn public_type(line: &str) -> Option<&str> {
    let declared = line.strip_prefix("pub ")?;
    let name = ["struct ", "enum ", "union ", "trait ", "type "].iter().find_map(|kind| declared.strip_prefix(kind))?;
    name.split(|letter: char| !letter.is_alphanumeric()).next()
}

fn add_words(tokens: TokenStream, words: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => drop(words.insert(word.to_string())),
            TokenTree::Group(group) => add_words(group.stream(), words),
            _ => {}
        }
    }
}

/// The paths into its own crate that a file's text has, counted from the crate's root: `a/b`.
pub fn paths(text: &str, file: &Module, is_module: &dyn Fn(&str) -> bool) -> Vec<String> {
    let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut reader = Reader { file: &file.0, inline: Vec::new(), is_module, paths: Vec::new() };
    reader.read(tokens);
    reader.paths
}

struct Reader<'a> {
    file: &'a [String],
    /// Modules that the text itself opens, from the outermost.
    inline: Vec<String>,
    is_module: &'a dyn Fn(&str) -> bool,
    paths: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = match &tokens[at] {
                TokenTree::Ident(word) if word == "use" => {
                    let end = at + tokens[at..].iter().position(|token| is(token, ';')).unwrap_or(tokens.len() - at);
                    self.used(&[], &tokens[at + 1..end]);
                    end
                }
                TokenTree::Ident(word) if word == "mod" => self.module(&tokens, at + 1),
                TokenTree::Ident(_) => self.named(&tokens, at),
                TokenTree::Group(group) => {
                    self.read(group.stream());
                    at + 1
                }
                _ => at + 1,
            };
        }
    }

    /// `mod name { ... }`, also of a macro that has `$name`.
    fn module(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        let name = at + usize::from(tokens.get(at).is_some_and(|token| is(token, '$')));
        if let (Some(TokenTree::Ident(word)), Some(TokenTree::Group(body))) = (tokens.get(name), tokens.get(name + 1)) {
            self.inline.push(word.to_string());
            self.read(body.stream());
            self.inline.pop();
            return name + 2;
        }
        name
    }

    /// A path of names in code, or of a macro's call, which belongs to no file.
    fn named(&mut self, tokens: &[TokenTree], begin: usize) -> usize {
        let (mut path, mut at) = (vec![tokens[begin].to_string()], begin + 1);
        while at + 1 < tokens.len() && is(&tokens[at], ':') && is(&tokens[at + 1], ':') {
            at += 2;
            let Some(TokenTree::Ident(word)) = tokens.get(at) else { break };
            path.push(word.to_string());
            at += 1;
        }
        let is_path = at > begin + 1;
        if is_path && !tokens.get(at).is_some_and(|token| is(token, '!')) {
            self.add(&path);
        }
        at
    }

    /// Reads the paths in a `use` tree, with `prefix` in front of those in braces.
    fn used(&mut self, prefix: &[String], tokens: &[TokenTree]) {
        for tree in tokens.split(|token| is(token, ',')).filter(|tree| !tree.is_empty()) {
            let mut path = prefix.to_vec();
            for token in tree {
                match token {
                    TokenTree::Ident(word) if word == "as" => break,
                    TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                    TokenTree::Ident(word) => path.push(word.to_string()),
                    _ => {}
                }
            }
            match tree.last() {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                    self.used(&path, &tokens);
                }
                _ => self.add(&path),
            }
        }
    }

    /// Adds a path, if it leads into this crate.
    fn add(&mut self, path: &[String]) {
        let mut here = [self.file, &self.inline].concat();
        let supers = path.iter().take_while(|part| *part == "super").count();
        let rest = match path[0].as_str() {
            "crate" => {
                here.clear();
                &path[1..]
            }
            "self" => &path[1..],
            "super" => {
                here.truncate(here.len().saturating_sub(supers));
                &path[supers..]
            }
            child if (self.is_module)(&[self.file, &[child.to_string()]].concat().join("/")) => path,
            _ => return,
        };
        self.paths.push([here, rest.to_vec()].concat().join("/"));
    }
}

fn is(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}
