//! Calls: arguments with and without parentheses, blocks.

use std::rc::Rc;

use super::super::ast::{Call, Code, Expr, Node};
use super::super::token::Kind;
use super::{Parser, Result};

impl Parser {
    /// An operand and what follows it without a space: calls, indexes, scopes.
    pub(super) fn postfix(&mut self) -> Result<Node> {
        let mut node = self.primary()?;
        loop {
            let at = self.place();
            match *self.kind() {
                Kind::Op(dot @ ("." | "&.")) => {
                    self.advance();
                    self.skip_newlines();
                    let name = match self.kind().clone() {
                        Kind::Ident(name) | Kind::Const(name) => name,
                        Kind::Label(name) => {
                            // `a ? b.c: d` is not supported, so this is a call with a label behind it.
                            return Err(self.expected(&format!("a method, not the key '{name}:'")));
                        }
                        Kind::Op("(") => "call".to_owned(),
                        _ => return Err(self.expected("the name of a method")),
                    };
                    let is_name = !self.is_op("(");
                    if is_name {
                        self.advance();
                    }
                    node = self.call(at, Some(node), name, dot == "&.")?;
                }
                Kind::Op("::") if !self.token().spaced => {
                    self.advance();
                    match self.kind().clone() {
                        Kind::Const(name) => {
                            self.advance();
                            if self.is_op("(") && !self.token().spaced {
                                node = self.call(at, Some(node), name, false)?;
                            } else {
                                node = self.node(at, Expr::Const(Some(Box::new(node)), name))?;
                            }
                        }
                        Kind::Ident(name) => {
                            self.advance();
                            node = self.call(at, Some(node), name, false)?;
                        }
                        _ => return Err(self.expected("a name")),
                    }
                }
                Kind::Op("[") if !self.token().spaced || matches!(node.expr, Expr::Local(_)) => {
                    self.advance();
                    let args = self.deeper(|p| p.inside(|p| p.list("]")))?;
                    self.expect_op("]")?;
                    let call = Call {
                        receiver: Some(node),
                        name: "[]".to_owned(),
                        args,
                        block: None,
                        safe: false,
                        bare: false,
                    };
                    node = self.node(at, Expr::Call(Box::new(call)))?;
                }
                _ => return Ok(node),
            }
        }
    }

    /// The rest of a call, behind the name of the method.
    pub(super) fn call(
        &mut self,
        at: super::super::token::Place,
        receiver: Option<Node>,
        name: String,
        safe: bool,
    ) -> Result<Node> {
        let mut call = Call { receiver, name, args: Vec::new(), block: None, safe, bare: false };
        if self.is_op("(") && !self.token().spaced {
            self.advance();
            call.args = self.deeper(|p| p.inside(|p| p.list(")")))?;
            self.expect_op(")")?;
        } else if self.begins_argument() {
            let (no_do, in_list) = (self.no_do, self.in_list);
            (self.no_do, self.in_list) = (true, true);
            let args = self.deeper(Self::bare_list);
            (self.no_do, self.in_list) = (no_do, in_list);
            call.args = args?;
        } else {
            call.bare = true;
        }
        if let Some(block) = self.block()? {
            call.block = Some(block);
            call.bare = false;
        }
        self.node(at, Expr::Call(Box::new(call)))
    }

    /// Whether the present token begins an argument of a call without parentheses.
    fn begins_argument(&self) -> bool {
        let token = self.token();
        if !token.spaced {
            return matches!(token.kind, Kind::Str(_) | Kind::TextLabel(_));
        }
        match &token.kind {
            Kind::Label(_) | Kind::TextLabel(_) => true,
            kind if kind.is_value() => true,
            Kind::Word(word) => matches!(*word, "nil" | "true" | "false" | "self" | "not" | "defined?" | "case"),
            Kind::Op(op) => match *op {
                "[" | "(" | "->" | "!" => true,
                "-" | "+" | "*" | "&" | "**" | "~" | "::" => !token.space_after,
                _ => false,
            },
            _ => false,
        }
    }

    /// Arguments without parentheses, up to the end of the statement.
    fn bare_list(&mut self) -> Result<Vec<Node>> {
        let mut list = List::default();
        loop {
            self.element(&mut list)?;
            if !self.take_op(",") {
                return self.finish(list);
            }
            self.skip_newlines();
        }
    }

    /// Elements up to a closing bracket, which is left.
    pub(super) fn list(&mut self, close: &'static str) -> Result<Vec<Node>> {
        let in_list = std::mem::replace(&mut self.in_list, true);
        let list = self.list_inside(close);
        self.in_list = in_list;
        list
    }

    fn list_inside(&mut self, close: &'static str) -> Result<Vec<Node>> {
        let mut list = List::default();
        loop {
            self.skip_newlines();
            if self.is_op(close) {
                break;
            }
            self.element(&mut list)?;
            self.skip_newlines();
            if !self.take_op(",") {
                break;
            }
        }
        if !self.is_op(close) {
            return Err(self.expected(&format!("',' or '{close}'")));
        }
        self.finish(list)
    }

    /// One argument or element: a value, a pair, a splat or a block.
    fn element(&mut self, list: &mut List) -> Result<()> {
        let at = self.place();
        match self.kind().clone() {
            Kind::Op("*") => {
                self.advance();
                let inner = self.expression_without_words()?;
                list.nodes.push(self.node(at, Expr::Splat(Box::new(inner)))?);
            }
            Kind::Op("&") => {
                self.advance();
                let inner = self.expression_without_words()?;
                list.nodes.push(self.node(at, Expr::BlockPass(Box::new(inner)))?);
            }
            Kind::Op("**") | Kind::Label(_) | Kind::TextLabel(_) => {
                let pair = self.pair()?;
                list.pairs.push(pair);
            }
            _ => {
                let node = self.expression_or_negation()?;
                if self.take_op("=>") {
                    self.skip_newlines();
                    let value = self.expression_without_words()?;
                    list.pairs.push((Some(node), value));
                } else if !list.pairs.is_empty() {
                    return Err(self.expected("'=>'"));
                } else {
                    list.nodes.push(node);
                }
            }
        }
        Ok(())
    }

    fn expression_or_negation(&mut self) -> Result<Node> {
        if self.is_word("not") { self.expression() } else { self.expression_without_words() }
    }

    /// One pair of a hash.
    pub(super) fn pair(&mut self) -> Result<(Option<Node>, Node)> {
        let at = self.place();
        let key = match self.kind().clone() {
            Kind::Op("**") => {
                self.advance();
                return Ok((None, self.expression_without_words()?));
            }
            Kind::Label(name) => {
                self.advance();
                self.node(at, Expr::Symbol(vec![super::super::ast::Piece::Bytes(name.into_bytes())]))?
            }
            Kind::TextLabel(parts) => {
                self.advance();
                let pieces = self.pieces(parts)?;
                self.node(at, Expr::Symbol(pieces))?
            }
            _ => {
                let key = self.expression_without_words()?;
                self.skip_newlines();
                self.expect_op("=>")?;
                key
            }
        };
        self.skip_newlines();
        Ok((Some(key), self.expression_without_words()?))
    }

    /// The arguments, with all pairs in one hash at the end.
    fn finish(&mut self, list: List) -> Result<Vec<Node>> {
        let List { mut nodes, pairs } = list;
        if let Some((first, value)) = pairs.first() {
            let at = first.as_ref().map_or(value.at, |key| key.at);
            let hash = self.node(at, Expr::Hash(pairs))?;
            // A block is the last argument.
            let place = match nodes.last().map(|last| &last.expr) {
                Some(Expr::BlockPass(_)) => nodes.len() - 1,
                _ => nodes.len(),
            };
            nodes.insert(place, hash);
        }
        Ok(nodes)
    }

    /// The block of a call, if there is one.
    pub(super) fn block(&mut self) -> Result<Option<Rc<Code>>> {
        if self.is_op("{") {
            self.advance();
            return self.block_body(true).map(Some);
        }
        if !self.no_do && self.is_word("do") {
            self.advance();
            return self.block_body(false).map(Some);
        }
        Ok(None)
    }

    /// Parameters and body of a block, behind `{` or `do`.
    pub(super) fn block_body(&mut self, braces: bool) -> Result<Rc<Code>> {
        self.deeper(|p| {
            p.scoped(true, |p| {
                p.inside(|p| {
                    p.skip_newlines();
                    let mut params = Vec::new();
                    if p.take_op("|") {
                        params = p.params(&Kind::Op("|"))?;
                        p.expect_op("|")?;
                    } else {
                        p.take_op("||");
                    }
                    let body = p.block_statements(braces)?;
                    Ok(Rc::new(Code { params, body }))
                })
            })
        })
    }

    pub(super) fn block_statements(&mut self, braces: bool) -> Result<Node> {
        if !braces {
            return self.guarded_body();
        }
        let body = self.statements(&[""])?;
        self.expect_op("}")?;
        Ok(body)
    }
}

/// Arguments while they are read.
#[derive(Default)]
struct List {
    nodes: Vec<Node>,
    pairs: Vec<(Option<Node>, Node)>,
}
