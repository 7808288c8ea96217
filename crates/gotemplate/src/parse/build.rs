//! The parser: tokens to trees, by recursive descent with three tokens in hand, as Go's is.

use std::collections::HashMap;
use std::sync::Arc;

use super::Delimiters;
use super::item::{Item, Kind};
use super::lex::Lexer;
use super::number::{Literal, Number};
use super::tree::{Command, List, Node, Pipe, Term, TermKind, Tree, Variable, Word};
use crate::fmt::quote;
use crate::function::Functions;
use crate::strconv;
use crate::value::Text;

/// How deep parentheses may nest.
const PARENS: usize = 10_000;

pub type Parsed<T> = Result<T, String>;

/// What belongs to the tree at hand: a definition inside a text begins with a new one.
pub struct Frame<'t> {
    pub tokens: [Item<'t>; 3],
    pub peeked: usize,
    pub variables: Vec<Text>,
    pub action_line: usize,
    pub ranges: usize,
    depth: usize,
}

pub struct Parser<'t> {
    pub lexer: Lexer<'t>,
    functions: &'t Functions,
    pub name: Text,
    text: Arc<[u8]>,
    pub frame: Frame<'t>,
    ids: HashMap<Text, u32>,
    trees: Vec<Arc<Tree>>,
}

/// What ends a list of nodes.
pub enum End {
    End,
    Else(usize),
}

impl End {
    pub fn shown(&self) -> &'static str {
        match self {
            End::End => "{{end}}",
            End::Else(_) => "{{else}}",
        }
    }
}

pub enum Piece {
    Node(Node),
    End(End),
}

pub fn no_item<'t>() -> Item<'t> {
    Item { kind: Kind::Eof, pos: 0, text: &[], line: 0, error: None }
}

impl Frame<'_> {
    fn new() -> Self {
        Self {
            tokens: [no_item(), no_item(), no_item()],
            peeked: 0,
            variables: vec![Text::from("$")],
            action_line: 0,
            ranges: 0,
            depth: 0,
        }
    }
}

impl<'t> Parser<'t> {
    pub fn new(
        name: Text,
        input: &'t [u8],
        text: Arc<[u8]>,
        delimiters: &'t Delimiters,
        functions: &'t Functions,
    ) -> Self {
        let mut lexer = Lexer::new(input, delimiters.left.as_bytes(), delimiters.right.as_bytes());
        lexer.break_ok = functions.get(b"break").is_none();
        lexer.continue_ok = functions.get(b"continue").is_none();
        let ids = HashMap::from([(Text::from("$"), 0)]);
        Self { lexer, functions, name, text, frame: Frame::new(), ids, trees: Vec::new() }
    }

    pub fn run(mut self) -> Parsed<Vec<Arc<Tree>>> {
        let pos = self.peek().pos;
        let mut nodes = Vec::new();
        while self.peek().kind != Kind::Eof {
            if self.peek().kind == Kind::LeftDelim {
                let delim = self.next();
                if self.next_non_space().kind == Kind::Define {
                    self.definition()?;
                    continue;
                }
                self.backup2(delim);
            }
            match self.text_or_action()? {
                Piece::Node(node) => nodes.push(node),
                Piece::End(end) => return Err(self.error(&format!("unexpected {}", end.shown()))),
            }
        }
        let root = List { pos, nodes: nodes.into() };
        let name = self.name.clone();
        self.add(name, root)?;
        Ok(self.trees)
    }

    /// Parses with a frame of its own, and puts the old one back.
    pub fn in_new_frame<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let outer = std::mem::replace(&mut self.frame, Frame::new());
        let parsed = parse(self)?;
        self.frame = outer;
        Ok(parsed)
    }

    fn definition(&mut self) -> Parsed<()> {
        const CONTEXT: &str = "define clause";
        self.in_new_frame(|parser| {
            let token = parser.next_non_space();
            let name = parser.template_name(&token, CONTEXT)?;
            parser.expect(Kind::RightDelim, CONTEXT)?;
            let (root, end) = parser.item_list()?;
            if !matches!(end, End::End) {
                return Err(parser.error(&format!("unexpected {} in {CONTEXT}", end.shown())));
            }
            parser.add(name, root)
        })
    }

    /// Adds a tree to the set; one that is not empty replaces an empty one only.
    pub fn add(&mut self, name: Text, root: List) -> Parsed<()> {
        let old = self.trees.iter().position(|tree| tree.name == name);
        if let Some(at) = old {
            if !self.trees.get(at).is_none_or(|tree| tree.root.is_empty()) {
                if root.is_empty() {
                    return Ok(());
                }
                let quoted = quote::quoted(&name);
                return Err(self.error(&format!("template: multiple definition of template {quoted}")));
            }
            self.trees.remove(at);
        }
        let parse_name = self.name.clone();
        self.trees.push(Arc::new(Tree { name, parse_name, text: Arc::clone(&self.text), root }));
        Ok(())
    }

    fn variable(&mut self, written: &[u8]) -> Variable {
        let name = Text::from(written);
        let next = u32::try_from(self.ids.len()).unwrap_or(u32::MAX);
        let id = *self.ids.entry(name.clone()).or_insert(next);
        Variable { id, name }
    }

    fn declare(&mut self, declared: &mut Vec<Variable>, token: &Item<'_>) {
        let variable = self.variable(token.text);
        self.frame.variables.push(variable.name.clone());
        declared.push(variable);
    }

    pub fn pipeline(&mut self, context: &str, end: Kind) -> Parsed<Pipe> {
        let pos = self.peek_non_space().pos;
        let mut assign = false;
        let mut variables = Vec::new();
        loop {
            let token = self.peek_non_space();
            if token.kind != Kind::Variable {
                break;
            }
            self.next();
            // A space may stand between the variable and what follows.
            let after = self.peek();
            let next = self.peek_non_space();
            match next.kind {
                Kind::Assign | Kind::Declare => {
                    assign = next.kind == Kind::Assign;
                    self.next_non_space();
                    self.declare(&mut variables, &token);
                }
                Kind::Char if next.text == b"," => {
                    self.next_non_space();
                    self.declare(&mut variables, &token);
                    if context == "range" && variables.len() < 2 {
                        let follows = self.peek_non_space().kind;
                        if matches!(follows, Kind::Variable | Kind::RightDelim | Kind::RightParen) {
                            continue;
                        }
                        return Err(self.error("range can only initialize variables"));
                    }
                    return Err(self.error(&format!("too many declarations in {context}")));
                }
                _ if after.kind == Kind::Space => self.backup3(token, after),
                _ => self.backup2(token),
            }
            break;
        }
        let commands = self.commands(context, end)?;
        Ok(Pipe { pos, assign, variables: variables.into(), commands: commands.into() })
    }

    fn commands(&mut self, context: &str, end: Kind) -> Parsed<Vec<Command>> {
        let mut commands: Vec<Command> = Vec::new();
        loop {
            let token = self.next_non_space();
            match token.kind {
                kind if kind == end => {
                    self.check(&commands, context)?;
                    return Ok(commands);
                }
                Kind::Bool
                | Kind::CharConstant
                | Kind::Complex
                | Kind::Dot
                | Kind::Field
                | Kind::Identifier
                | Kind::Number
                | Kind::Nil
                | Kind::RawString
                | Kind::String
                | Kind::Variable
                | Kind::LeftParen => {
                    self.backup();
                    commands.push(self.command()?);
                }
                _ => return Err(self.unexpected(&token, context)),
            }
        }
    }

    fn check(&self, commands: &[Command], context: &str) -> Parsed<()> {
        if commands.is_empty() {
            return Err(self.error(&format!("missing value for {context}")));
        }
        for (index, command) in commands.iter().enumerate().skip(1) {
            let constant = matches!(
                command.args.first().map(|arg| &arg.kind),
                Some(
                    TermKind::Bool(_)
                        | TermKind::Dot
                        | TermKind::Nil
                        | TermKind::Number(_)
                        | TermKind::String(..)
                )
            );
            if constant {
                return Err(self.error(&format!("non executable command in pipeline stage {}", index + 1)));
            }
        }
        Ok(())
    }

    fn command(&mut self) -> Parsed<Command> {
        let pos = self.peek_non_space().pos;
        let mut args = Vec::new();
        loop {
            self.peek_non_space();
            if let Some(term) = self.operand()? {
                args.push(term);
            }
            let token = self.next();
            match token.kind {
                Kind::Space => continue,
                Kind::RightDelim | Kind::RightParen => self.backup(),
                Kind::Pipe => {}
                _ => return Err(self.unexpected(&token, "operand")),
            }
            break;
        }
        if args.is_empty() {
            return Err(self.error("empty command"));
        }
        Ok(Command { pos, args: args.into() })
    }

    fn operand(&mut self) -> Parsed<Option<Term>> {
        let Some(term) = self.term()? else { return Ok(None) };
        let token = self.peek();
        if token.kind != Kind::Field {
            return Ok(Some(term));
        }
        let pos = token.pos;
        let mut fields = Vec::new();
        while self.peek().kind == Kind::Field {
            fields.push(field_name(self.next().text));
        }
        let kind = match term.kind {
            TermKind::Field(first) => TermKind::Field(first.into_iter().chain(fields).collect()),
            TermKind::Variable(variable, first) => {
                TermKind::Variable(variable, first.into_iter().chain(fields).collect())
            }
            TermKind::Bool(_)
            | TermKind::String(..)
            | TermKind::Number(_)
            | TermKind::Nil
            | TermKind::Dot => {
                let shown = quote::quoted(term.to_string().as_bytes());
                return Err(self.error(&format!("unexpected . after term {shown}")));
            }
            kind => TermKind::Chain(Box::new(Term { pos: term.pos, kind }), fields.into()),
        };
        Ok(Some(Term { pos, kind }))
    }

    fn term(&mut self) -> Parsed<Option<Term>> {
        let token = self.next_non_space();
        let kind = match token.kind {
            Kind::Identifier => {
                let Some((function, special)) = self.functions.find(token.text) else {
                    let name = quote::quoted(token.text);
                    return Err(self.error(&format!("function {name} not defined")));
                };
                TermKind::Function(Box::new(Word { name: Text::from(token.text), function, special }))
            }
            Kind::Dot => TermKind::Dot,
            Kind::Nil => TermKind::Nil,
            Kind::Variable => {
                if !self.frame.variables.iter().any(|name| **name == *token.text) {
                    let name = quote::quoted(token.text);
                    return Err(self.error(&format!("undefined variable {name}")));
                }
                TermKind::Variable(self.variable(token.text), Box::default())
            }
            Kind::Field => TermKind::Field([field_name(token.text)].into()),
            Kind::Bool => TermKind::Bool(token.text == b"true"),
            Kind::CharConstant => self.number(&token, Literal::Character)?,
            Kind::Complex => self.number(&token, Literal::Complex)?,
            Kind::Number => self.number(&token, Literal::Number)?,
            Kind::LeftParen => {
                let pipe = self.parens()?;
                return Ok(Some(Term { pos: pipe.pos, kind: TermKind::Pipe(Box::new(pipe)) }));
            }
            Kind::String | Kind::RawString => {
                let value = strconv::unquote(token.text).map_err(|error| self.error(&error))?;
                TermKind::String(Text::from(value), Text::from(token.text))
            }
            _ => {
                self.backup();
                return Ok(None);
            }
        };
        Ok(Some(Term { pos: token.pos, kind }))
    }

    fn parens(&mut self) -> Parsed<Pipe> {
        if self.frame.depth >= PARENS {
            return Err(self.error("max expression depth exceeded"));
        }
        self.frame.depth += 1;
        let pipe = crate::run::with_stack(|| self.pipeline("parenthesized pipeline", Kind::RightParen));
        self.frame.depth -= 1;
        pipe
    }

    fn number(&self, token: &Item<'_>, literal: Literal) -> Parsed<TermKind> {
        let number = Number::parse(token.text, literal).map_err(|error| self.error(&error))?;
        Ok(TermKind::Number(Box::new(number)))
    }
}

/// Without its dot.
fn field_name(written: &[u8]) -> Text {
    Text::from(written.get(1..).unwrap_or_default())
}
