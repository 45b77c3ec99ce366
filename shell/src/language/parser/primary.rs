//! Operands: literals, names, brackets and constructs that begin with a word.

use std::rc::Rc;

use super::super::ast::{Code, Expr, Node, Piece};
use super::super::token::{Kind, Part, SyntaxError};
use super::{Parser, Result};

impl Parser {
    pub(super) fn primary(&mut self) -> Result<Node> {
        let at = self.place();
        let kind = self.kind().clone();
        let expr = match kind {
            Kind::Int(n) => Expr::Int(n),
            Kind::Float(n) => Expr::Float(n),
            Kind::Instance(name) => Expr::Instance(name),
            Kind::Global(name) => Expr::Global(name),
            Kind::Str(parts) => {
                self.advance();
                let mut pieces = self.pieces(parts)?;
                // Adjacent literals are one text.
                while let Kind::Str(parts) = self.kind().clone() {
                    self.advance();
                    pieces.extend(self.pieces(parts)?);
                }
                return self.node(at, Expr::Str(pieces));
            }
            Kind::Symbol(parts) => {
                self.advance();
                let pieces = self.pieces(parts)?;
                return self.node(at, Expr::Symbol(pieces));
            }
            Kind::Regex(parts, flags) => {
                self.advance();
                let pieces = self.pieces(parts)?;
                return self.node(at, Expr::Regex(pieces, flags));
            }
            Kind::Words(words) => {
                self.advance();
                return self.texts(at, words, Expr::Str);
            }
            Kind::Symbols(words) => {
                self.advance();
                return self.texts(at, words, Expr::Symbol);
            }
            Kind::Ident(name) => {
                self.advance();
                if self.is_local(&name) && (!self.is_op("(") || self.token().spaced) {
                    return self.node(at, Expr::Local(name));
                }
                return self.call(at, None, name, false);
            }
            Kind::Const(name) => {
                self.advance();
                let called = self.is_op("(") && !self.token().spaced;
                if called {
                    return self.call(at, None, name, false);
                }
                return self.node(at, Expr::Const(None, name));
            }
            Kind::Word(word) => return self.construct(word),
            Kind::Op(op) => return self.bracket(op),
            Kind::Label(_) | Kind::TextLabel(_) | Kind::Newline | Kind::End => return Err(self.unexpected()),
        };
        self.advance();
        self.node(at, expr)
    }

    fn texts(
        &mut self,
        at: super::super::token::Place,
        words: Vec<Vec<u8>>,
        make: fn(Vec<Piece>) -> Expr,
    ) -> Result<Node> {
        let nodes = words.into_iter().map(|word| self.node(at, make(vec![Piece::Bytes(word)])));
        let nodes = nodes.collect::<Result<Vec<_>>>()?;
        self.node(at, Expr::Array(nodes))
    }

    /// The parts of a text, with the code in it parsed.
    pub(super) fn pieces(&mut self, parts: Vec<Part>) -> Result<Vec<Piece>> {
        let mut pieces = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Part::Bytes(bytes) => pieces.push(Piece::Bytes(bytes)),
                Part::Code(tokens) => {
                    let outer = (std::mem::replace(&mut self.tokens, tokens), std::mem::take(&mut self.at));
                    let node = self.deeper(|p| p.statements(&[])).map_err(|error| match error {
                        SyntaxError::Incomplete { .. } => {
                            SyntaxError::new(self.place(), "syntax error, unexpected '}' in #{…}")
                        }
                        wrong => wrong,
                    });
                    let ended = matches!(self.kind(), Kind::End);
                    let node = if ended { node } else { node.and(Err(self.unexpected())) };
                    (self.tokens, self.at) = outer;
                    let node = node?;
                    pieces.push(Piece::Code(node));
                }
            }
        }
        Ok(pieces)
    }

    fn bracket(&mut self, op: &'static str) -> Result<Node> {
        let at = self.place();
        match op {
            "(" => {
                self.advance();
                let node = self.deeper(|p| p.inside(|p| p.statements(&[""])))?;
                self.expect_op(")")?;
                match &node.expr {
                    Expr::Seq(list) if list.is_empty() => self.node(at, Expr::Nil),
                    _ => Ok(node),
                }
            }
            "[" => {
                self.advance();
                let nodes = self.deeper(|p| p.inside(|p| p.list("]")))?;
                self.expect_op("]")?;
                self.node(at, Expr::Array(nodes))
            }
            "{" => {
                self.advance();
                let pairs = self.deeper(|p| p.inside(Self::pairs))?;
                self.expect_op("}")?;
                self.node(at, Expr::Hash(pairs))
            }
            "->" => {
                self.advance();
                self.lambda(at)
            }
            "::" => {
                self.advance();
                let Kind::Const(name) = self.kind().clone() else { return Err(self.expected("a constant")) };
                self.advance();
                self.node(at, Expr::Const(None, name))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn pairs(&mut self) -> Result<Vec<(Option<Node>, Node)>> {
        let in_list = std::mem::replace(&mut self.in_list, true);
        let mut pairs = Vec::new();
        let done = loop {
            self.skip_newlines();
            if self.is_op("}") {
                break Ok(());
            }
            match self.pair() {
                Ok(pair) => pairs.push(pair),
                Err(error) => break Err(error),
            }
            self.skip_newlines();
            if !self.take_op(",") {
                break if self.is_op("}") { Ok(()) } else { Err(self.expected("',' or '}'")) };
            }
        };
        self.in_list = in_list;
        done.map(|()| pairs)
    }

    fn lambda(&mut self, at: super::super::token::Place) -> Result<Node> {
        let code = self.deeper(|p| {
            p.scoped(true, |p| {
                p.inside(|p| {
                    let mut params = Vec::new();
                    if p.take_op("(") {
                        params = p.params(&Kind::Op(")"))?;
                        p.expect_op(")")?;
                    } else if matches!(p.kind(), Kind::Ident(_) | Kind::Op("*")) {
                        params = p.params(&Kind::Op("{"))?;
                    }
                    let braces = p.take_op("{");
                    if !braces {
                        p.expect_word("do")?;
                    }
                    let body = p.block_statements(braces)?;
                    Ok(Rc::new(Code { params, body }))
                })
            })
        })?;
        self.node(at, Expr::Lambda(code))
    }

    /// A construct that begins with a reserved word.
    fn construct(&mut self, word: &'static str) -> Result<Node> {
        let at = self.place();
        let simple = match word {
            "nil" => Some(Expr::Nil),
            "true" => Some(Expr::True),
            "false" => Some(Expr::False),
            "self" => Some(Expr::Myself),
            _ => None,
        };
        if let Some(expr) = simple {
            self.advance();
            return self.node(at, expr);
        }
        match word {
            "if" | "unless" | "while" | "until" | "for" | "case" | "begin" | "def" => {
                self.advance();
                let in_list = std::mem::take(&mut self.in_list);
                let node = self.deeper(|p| match word {
                    "if" => p.inside(|p| p.conditional(false)),
                    "unless" => p.inside(|p| p.conditional(true)),
                    "while" => p.repeat(false),
                    "until" => p.repeat(true),
                    "for" => p.for_loop(),
                    "case" => p.case(),
                    "begin" => p.begin(),
                    _ => p.definition(),
                });
                self.in_list = in_list;
                node
            }
            "return" | "break" | "next" => {
                self.advance();
                let value = match self.kind() {
                    Kind::Newline
                    | Kind::End
                    | Kind::Op(";" | "}" | ")")
                    | Kind::Word("if" | "unless" | "end" | "while") => None,
                    _ => Some(Box::new(self.deeper(Self::expression)?)),
                };
                let expr = match word {
                    "return" => Expr::Return(value),
                    "break" => Expr::Break(value),
                    _ => Expr::Next(value),
                };
                self.node(at, expr)
            }
            "yield" => {
                self.advance();
                let called = self.call(at, None, "yield".to_owned(), false)?;
                match called.expr {
                    Expr::Call(call) => self.node(at, Expr::Yield(call.args)),
                    _ => Ok(called),
                }
            }
            "defined?" => {
                self.advance();
                let inner = self.deeper(Self::unary_operand)?;
                self.node(at, Expr::Defined(Box::new(inner)))
            }
            "not" => self.deeper(Self::expression),
            "class" | "module" | "alias" | "undef" | "super" | "redo" | "retry" => {
                Err(self.foreign(at, &format!("'{word}'")))
            }
            _ => Err(self.unexpected()),
        }
    }

    fn unary_operand(&mut self) -> Result<Node> {
        self.operand_alone()
    }
}
