//! The parser's control structures: `if`, `range`, `with`, `block`, `template`, `break`, `continue`.

use super::build::{End, Parsed, Parser, Piece};
use super::item::{Item, Kind};
use super::tree::{Branch, Call, List, Node};
use crate::strconv;
use crate::value::Text;

impl Parser<'_> {
    /// Nodes until an `end` or `else`.
    pub fn item_list(&mut self) -> Parsed<(List, End)> {
        let pos = self.peek_non_space().pos;
        let mut nodes = Vec::new();
        while self.peek_non_space().kind != Kind::Eof {
            match self.text_or_action()? {
                Piece::Node(node) => nodes.push(node),
                Piece::End(end) => return Ok((List { pos, nodes: nodes.into() }, end)),
            }
        }
        Err(self.error("unexpected EOF"))
    }

    pub fn text_or_action(&mut self) -> Parsed<Piece> {
        let token = self.next_non_space();
        match token.kind {
            Kind::Text => Ok(Piece::Node(Node::Text(token.pos, token.text.into()))),
            Kind::LeftDelim => {
                self.frame.action_line = token.line;
                let piece = crate::run::with_stack(|| self.action())?;
                self.frame.action_line = 0;
                Ok(piece)
            }
            _ => Err(self.unexpected(&token, "input")),
        }
    }

    fn action(&mut self) -> Parsed<Piece> {
        let token = self.next_non_space();
        let node = match token.kind {
            Kind::Block => self.block()?,
            Kind::Break => self.leave(&token, "{{break}}", Node::Break)?,
            Kind::Continue => self.leave(&token, "{{continue}}", Node::Continue)?,
            Kind::Else => return Ok(Piece::End(self.else_control()?)),
            Kind::End => {
                self.expect(Kind::RightDelim, "end")?;
                return Ok(Piece::End(End::End));
            }
            Kind::If => self.control("if", Node::If)?,
            Kind::Range => self.control("range", Node::Range)?,
            Kind::Template => self.template()?,
            Kind::With => self.control("with", Node::With)?,
            _ => {
                self.backup();
                let pos = self.peek().pos;
                Node::Action(pos, self.pipeline("command", Kind::RightDelim)?)
            }
        };
        Ok(Piece::Node(node))
    }

    fn leave(&mut self, token: &Item<'_>, word: &str, node: fn(usize) -> Node) -> Parsed<Node> {
        let next = self.next_non_space();
        if next.kind != Kind::RightDelim {
            return Err(self.unexpected(&next, word));
        }
        if self.frame.ranges == 0 {
            return Err(self.error(&format!("{word} outside {{{{range}}}}")));
        }
        Ok(node(token.pos))
    }

    fn else_control(&mut self) -> Parsed<End> {
        let next = self.peek_non_space();
        if matches!(next.kind, Kind::If | Kind::With) {
            return Ok(End::Else(next.pos));
        }
        Ok(End::Else(self.expect(Kind::RightDelim, "else")?.pos))
    }

    fn control(&mut self, word: &str, node: fn(Box<Branch>) -> Node) -> Parsed<Node> {
        let variables = self.frame.variables.len();
        let branch = self.branch(word, node)?;
        self.frame.variables.truncate(variables);
        Ok(node(Box::new(branch)))
    }

    fn branch(&mut self, word: &str, node: fn(Box<Branch>) -> Node) -> Parsed<Branch> {
        let pipe = self.pipeline(word, Kind::RightDelim)?;
        let in_range = usize::from(word == "range");
        self.frame.ranges += in_range;
        let (list, end) = self.item_list()?;
        self.frame.ranges -= in_range;
        let otherwise = match end {
            End::End => None,
            End::Else(pos) => Some(self.otherwise(word, node, pos)?),
        };
        Ok(Branch { pos: pipe.pos, pipe, list, otherwise })
    }

    /// What follows an `else`: `else if` and `else with` are nested and share the `end`.
    fn otherwise(&mut self, word: &str, node: fn(Box<Branch>) -> Node, pos: usize) -> Parsed<List> {
        let next = self.peek().kind;
        if word == "if" && next == Kind::If || word == "with" && next == Kind::With {
            self.next();
            let nested = crate::run::with_stack(|| self.control(word, node))?;
            return Ok(List { pos, nodes: [nested].into() });
        }
        match self.item_list()? {
            (list, End::End) => Ok(list),
            (_, end) => Err(self.error(&format!("expected end; found {}", end.shown()))),
        }
    }

    fn block(&mut self) -> Parsed<Node> {
        const CONTEXT: &str = "block clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let pipe = self.pipeline(CONTEXT, Kind::RightDelim)?;
        let wrong = self.in_new_frame(|parser| match parser.item_list()? {
            (root, End::End) => parser.add(name.clone(), root).map(|()| None),
            (_, end) => Ok(Some(end)),
        })?;
        if let Some(end) = wrong {
            return Err(self.error(&format!("unexpected {} in {CONTEXT}", end.shown())));
        }
        Ok(Node::Template(Box::new(Call { pos: token.pos, name, pipe: Some(pipe) })))
    }

    fn template(&mut self) -> Parsed<Node> {
        const CONTEXT: &str = "template clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let mut pipe = None;
        if self.next_non_space().kind != Kind::RightDelim {
            self.backup();
            pipe = Some(self.pipeline(CONTEXT, Kind::RightDelim)?);
        }
        Ok(Node::Template(Box::new(Call { pos: token.pos, name, pipe })))
    }

    pub fn template_name(&mut self, token: &Item<'_>, context: &str) -> Parsed<Text> {
        if !matches!(token.kind, Kind::String | Kind::RawString) {
            return Err(self.unexpected(token, context));
        }
        strconv::unquote(token.text).map(Text::from).map_err(|error| self.error(&error))
    }
}
