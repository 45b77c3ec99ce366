//! Statements: modifiers, blocks of statements, control structures, definitions.

use std::rc::Rc;

use super::super::ast::{Clause, Code, Expr, Node, Param, Target};
use super::super::token::Kind;
use super::{Parser, Result};

impl Parser {
    /// Statements up to one of these words, which is left, or to the end of the source or a closing bracket.
    pub(super) fn statements(&mut self, ends: &[&str]) -> Result<Node> {
        let in_list = std::mem::take(&mut self.in_list);
        let node = self.statements_until(ends);
        self.in_list = in_list;
        node
    }

    fn statements_until(&mut self, ends: &[&str]) -> Result<Node> {
        let at = self.place();
        let mut list = Vec::new();
        loop {
            self.skip_separators();
            let ended = match self.kind() {
                Kind::End if ends.is_empty() => true,
                Kind::End => return Err(self.unexpected()),
                Kind::Word(word) => ends.contains(word),
                Kind::Op("}") | Kind::Op(")") => !ends.is_empty() && ends[0].is_empty(),
                _ => false,
            };
            if ended {
                break;
            }
            list.push(self.statement()?);
            match self.kind() {
                Kind::Newline | Kind::Op(";") | Kind::End => {}
                Kind::Word(word) if ends.contains(word) => {}
                Kind::Op("}" | ")") if ends.first().is_some_and(|end| end.is_empty()) => {}
                _ => return Err(self.unexpected()),
            }
        }
        match list.len() {
            1 => Ok(list.remove(0)),
            _ => self.node(at, Expr::Seq(list)),
        }
    }

    /// One statement with its modifiers.
    pub(super) fn statement(&mut self) -> Result<Node> {
        let mut node = self.expression()?;
        loop {
            let at = self.place();
            let Kind::Word(word) = *self.kind() else { return Ok(node) };
            match word {
                "if" | "unless" => {
                    self.advance();
                    self.skip_newlines();
                    let condition = self.expression()?;
                    let condition = if word == "unless" { self.not(condition)? } else { condition };
                    node = self.node(at, Expr::If(Box::new(condition), Box::new(node), None))?;
                }
                "while" | "until" => {
                    self.advance();
                    self.skip_newlines();
                    let condition = self.expression()?;
                    let after = matches!(node.expr, Expr::Begin(..));
                    node = self.node(at, Expr::While(Box::new(condition), Box::new(node), word == "until", after))?;
                }
                "rescue" => {
                    self.advance();
                    self.skip_newlines();
                    let other = self.expression()?;
                    let clause = Clause { tests: Vec::new(), binding: None, body: other };
                    node = self.node(at, Expr::Begin(Box::new(node), vec![clause], None, None))?;
                }
                _ => return Ok(node),
            }
        }
    }

    pub(super) fn not(&mut self, node: Node) -> Result<Node> {
        let at = node.at;
        self.node(at, Expr::Not(Box::new(node)))
    }

    /// `if`, `unless` or `elsif`; the word has been read.
    pub(super) fn conditional(&mut self, negated: bool) -> Result<Node> {
        self.deeper(|p| {
            let at = p.place();
            let condition = p.condition()?;
            let condition = if negated { p.not(condition)? } else { condition };
            p.take_word("then");
            let then = p.statements(&["elsif", "else", "end"])?;
            let otherwise = if p.take_word("elsif") {
                Some(Box::new(p.conditional(false)?))
            } else {
                let otherwise = if p.take_word("else") { Some(Box::new(p.statements(&["end"])?)) } else { None };
                p.expect_word("end")?;
                otherwise
            };
            p.node(at, Expr::If(Box::new(condition), Box::new(then), otherwise))
        })
    }

    pub(super) fn expect_word(&mut self, word: &'static str) -> Result<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.expected(&format!("'{word}'"))) }
    }

    /// A condition or a list before `do`, `then` or the end of the line.
    fn condition(&mut self) -> Result<Node> {
        let no_do = std::mem::replace(&mut self.no_do, true);
        let node = self.statement_without_modifiers();
        self.no_do = no_do;
        let node = node?;
        if matches!(self.kind(), Kind::Newline | Kind::Op(";")) {
            self.skip_separators();
        }
        Ok(node)
    }

    fn statement_without_modifiers(&mut self) -> Result<Node> {
        self.skip_newlines();
        self.expression()
    }

    /// `while` or `until`; the word has been read.
    pub(super) fn repeat(&mut self, negated: bool) -> Result<Node> {
        let at = self.place();
        let condition = self.condition()?;
        self.take_word("do");
        let body = self.inside(|p| p.statements(&["end"]))?;
        self.expect_word("end")?;
        self.node(at, Expr::While(Box::new(condition), Box::new(body), negated, false))
    }

    /// `for`; the word has been read.
    pub(super) fn for_loop(&mut self) -> Result<Node> {
        let at = self.place();
        let mut targets = Vec::new();
        loop {
            let Kind::Ident(name) = self.kind().clone() else { return Err(self.expected("a variable")) };
            self.advance();
            self.declare(&name);
            targets.push(Target::Local(name));
            if !self.take_op(",") {
                break;
            }
        }
        self.expect_word("in")?;
        let list = self.condition()?;
        self.take_word("do");
        let body = self.inside(|p| p.statements(&["end"]))?;
        self.expect_word("end")?;
        self.node(at, Expr::For(targets, Box::new(list), Box::new(body)))
    }

    /// `case`; the word has been read.
    pub(super) fn case(&mut self) -> Result<Node> {
        let at = self.place();
        let subject = match self.kind() {
            Kind::Newline | Kind::Op(";") => None,
            _ => Some(Box::new(self.expression()?)),
        };
        self.skip_separators();
        let (clauses, otherwise) = self.inside(|p| {
            let mut clauses = Vec::new();
            if !p.is_word("when") {
                return Err(p.expected("'when'"));
            }
            while p.take_word("when") {
                let mut tests = vec![p.list_element()?];
                while p.take_op(",") {
                    p.skip_newlines();
                    tests.push(p.list_element()?);
                }
                p.skip_separators();
                p.take_word("then");
                let body = p.statements(&["when", "else", "end"])?;
                clauses.push(Clause { tests, binding: None, body });
            }
            let otherwise = if p.take_word("else") { Some(Box::new(p.statements(&["end"])?)) } else { None };
            Ok((clauses, otherwise))
        })?;
        self.expect_word("end")?;
        self.node(at, Expr::Case(subject, clauses, otherwise))
    }

    fn list_element(&mut self) -> Result<Node> {
        let at = self.place();
        if self.take_op("*") {
            let list = self.expression()?;
            return self.node(at, Expr::Splat(Box::new(list)));
        }
        self.expression()
    }

    /// A body with `rescue`, `else` and `ensure`, up to and with `end`.
    pub(super) fn guarded_body(&mut self) -> Result<Node> {
        self.deeper(|p| {
            let at = p.place();
            let ends = ["rescue", "else", "ensure", "end"];
            let body = p.statements(&ends)?;
            let mut clauses = Vec::new();
            while p.take_word("rescue") {
                let mut tests = Vec::new();
                while !matches!(p.kind(), Kind::Newline | Kind::Op(";" | "=>") | Kind::Word("then")) {
                    tests.push(p.list_element()?);
                    if !p.take_op(",") {
                        break;
                    }
                    p.skip_newlines();
                }
                let binding = if p.take_op("=>") {
                    let Kind::Ident(name) = p.kind().clone() else { return Err(p.expected("a variable")) };
                    p.advance();
                    p.declare(&name);
                    Some(Target::Local(name))
                } else {
                    None
                };
                p.skip_separators();
                p.take_word("then");
                let body = p.statements(&ends)?;
                clauses.push(Clause { tests, binding, body });
            }
            let otherwise = if p.take_word("else") { Some(Box::new(p.statements(&ends[2..])?)) } else { None };
            let ensure = if p.take_word("ensure") { Some(Box::new(p.statements(&["end"])?)) } else { None };
            p.expect_word("end")?;
            if clauses.is_empty() && otherwise.is_none() && ensure.is_none() {
                return Ok(body);
            }
            p.node(at, Expr::Begin(Box::new(body), clauses, otherwise, ensure))
        })
    }

    /// `begin`; the word has been read.
    pub(super) fn begin(&mut self) -> Result<Node> {
        let at = self.place();
        let body = self.inside(Self::guarded_body)?;
        match body.expr {
            Expr::Begin(..) => Ok(body),
            // Kept, since `begin … end while` runs the body first.
            _ => self.node(at, Expr::Begin(Box::new(body), Vec::new(), None, None)),
        }
    }

    /// `def`; the word has been read.
    pub(super) fn definition(&mut self) -> Result<Node> {
        let at = self.place();
        let name = match self.kind().clone() {
            Kind::Ident(name) | Kind::Const(name) => name,
            Kind::Word("self") => return Err(self.foreign(at, "a method of an object")),
            _ => return Err(self.expected("the name of a method")),
        };
        self.advance();
        if self.is_op(".") {
            return Err(self.foreign(at, "a method of an object"));
        }
        let name = if self.is_op("=") && !self.token().spaced {
            return Err(self.foreign(at, "a method that assigns"));
        } else {
            name
        };
        let code = self.scoped(false, |p| {
            p.inside(|p| {
                let params = if p.take_op("(") {
                    let params = p.params(&Kind::Op(")"))?;
                    p.skip_newlines();
                    p.expect_op(")")?;
                    params
                } else {
                    p.params(&Kind::Newline)?
                };
                let body = p.guarded_body()?;
                Ok(Rc::new(Code { params, body }))
            })
        })?;
        self.node(at, Expr::Def(name, code))
    }

    /// Parameters up to this token, which is left.
    pub(super) fn params(&mut self, end: &Kind) -> Result<Vec<Param>> {
        let mut params = Vec::new();
        loop {
            if *end != Kind::Newline {
                self.skip_newlines();
            }
            if self.kind() == end || matches!(self.kind(), Kind::Op(";") | Kind::Newline) {
                break;
            }
            params.push(self.param(end)?);
            if !self.take_op(",") {
                break;
            }
        }
        // Names after a semicolon are local to a block.
        if *end == Kind::Op("|") && self.take_op(";") {
            while let Kind::Ident(name) = self.kind().clone() {
                self.declare(&name);
                self.advance();
                self.take_op(",");
            }
        }
        Ok(params)
    }

    fn param(&mut self, end: &Kind) -> Result<Param> {
        let at = self.place();
        match self.kind().clone() {
            Kind::Ident(name) => {
                self.advance();
                self.declare(&name);
                if self.take_op("=") {
                    // `|` would be taken for an operator.
                    let default =
                        if *end == Kind::Op("|") { self.operand_alone()? } else { self.expression_without_words()? };
                    return Ok(Param::Optional(name, default));
                }
                Ok(Param::Required(Target::Local(name)))
            }
            Kind::Label(name) => {
                self.advance();
                self.declare(&name);
                let default = match self.kind() {
                    Kind::Op("," | ")" | "|") | Kind::Newline => None,
                    _ if *end == Kind::Op("|") => Some(self.operand_alone()?),
                    _ => Some(self.expression_without_words()?),
                };
                Ok(Param::Keyword(name, default))
            }
            Kind::Op(sign @ ("*" | "&")) => {
                self.advance();
                let name = match self.kind().clone() {
                    Kind::Ident(name) => {
                        self.advance();
                        self.declare(&name);
                        name
                    }
                    _ => String::new(),
                };
                Ok(if sign == "*" { Param::Rest(name) } else { Param::Block(name) })
            }
            Kind::Op("(") => Ok(Param::Required(self.deeper(Self::target_list)?)),
            Kind::Op("**") => Err(self.foreign(at, "a parameter with **")),
            _ => Err(self.expected("a parameter")),
        }
    }

    /// `(a, (b, c), *d)` among the parameters of a block.
    fn target_list(&mut self) -> Result<Target> {
        self.expect_op("(")?;
        let mut targets = Vec::new();
        loop {
            let splat = self.take_op("*");
            let target = match self.kind().clone() {
                Kind::Op("(") => self.deeper(Self::target_list)?,
                Kind::Ident(name) => {
                    self.advance();
                    self.declare(&name);
                    Target::Local(name)
                }
                _ => return Err(self.expected("a variable")),
            };
            targets.push(if splat { Target::Splat(Box::new(target)) } else { target });
            if !self.take_op(",") {
                break;
            }
        }
        self.expect_op(")")?;
        Ok(Target::List(targets))
    }
}
