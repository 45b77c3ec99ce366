//! Expressions with operators, by precedence, and assignments.

use super::super::ast::{Call, Expr, Node, Target};
use super::super::token::{Kind, Place, SyntaxError};
use super::{Parser, Result};

/// How tightly a binary operator binds, and whether it groups to the right.
fn binding(op: &str) -> Option<(u8, bool)> {
    Some(match op {
        ".." | "..." => (10, false),
        "||" => (12, false),
        "&&" => (14, false),
        "<=>" | "==" | "===" | "!=" | "=~" | "!~" => (16, false),
        "<" | "<=" | ">" | ">=" => (18, false),
        "|" | "^" => (20, false),
        "&" => (22, false),
        "<<" | ">>" => (24, false),
        "+" | "-" => (26, false),
        "*" | "/" | "%" => (28, false),
        "**" => (32, true),
        _ => return None,
    })
}

const UNARY_MINUS: u8 = 30;
const ASSIGNMENTS: &[(&str, &str)] = &[
    ("+=", "+"),
    ("-=", "-"),
    ("*=", "*"),
    ("/=", "/"),
    ("%=", "%"),
    ("**=", "**"),
    ("||=", "||"),
    ("&&=", "&&"),
    ("<<=", "<<"),
    (">>=", ">>"),
    ("|=", "|"),
    ("&=", "&"),
    ("^=", "^"),
];

impl Parser {
    /// An expression with `not`, `and` and `or`.
    pub(super) fn expression(&mut self) -> Result<Node> {
        self.deeper(|p| {
            let mut left = p.negation()?;
            loop {
                let at = p.place();
                let both = p.is_word("and");
                if !both && !p.is_word("or") {
                    return Ok(left);
                }
                p.advance();
                p.skip_newlines();
                let right = p.negation()?;
                let (left_box, right_box) = (Box::new(left), Box::new(right));
                left = p.node(at, if both { Expr::And(left_box, right_box) } else { Expr::Or(left_box, right_box) })?;
            }
        })
    }

    fn negation(&mut self) -> Result<Node> {
        let at = self.place();
        if !self.take_word("not") {
            return self.several();
        }
        let inner = self.deeper(Self::negation)?;
        self.node(at, Expr::Not(Box::new(inner)))
    }

    /// An expression, or `a, b = c, d`.
    fn several(&mut self) -> Result<Node> {
        let at = self.place();
        if let Some(targets) = self.assigned_list()? {
            self.skip_newlines();
            let value = self.assigned_value()?;
            return self.node(at, Expr::MultiAssign(targets, Box::new(value)));
        }
        self.expression_without_words()
    }

    /// The targets of `a, b = …`, if this is one.
    fn assigned_list(&mut self) -> Result<Option<Vec<Target>>> {
        // Only names are looked for: `a`, `*a`, `@a`.
        let (mut ahead, mut commas) = (0, 0);
        loop {
            if matches!(self.ahead(ahead).kind, Kind::Op("*")) {
                ahead += 1;
            }
            if !matches!(self.ahead(ahead).kind, Kind::Ident(_) | Kind::Instance(_) | Kind::Global(_)) {
                return Ok(None);
            }
            ahead += 1;
            match self.ahead(ahead).kind {
                Kind::Op(",") => commas += 1,
                Kind::Op("=") if commas > 0 => break,
                _ => return Ok(None),
            }
            ahead += 1;
        }
        let mut targets = Vec::new();
        loop {
            let splat = self.take_op("*");
            let target = match self.kind().clone() {
                Kind::Ident(name) => {
                    self.declare(&name);
                    Target::Local(name)
                }
                Kind::Instance(name) => Target::Instance(name),
                Kind::Global(name) => Target::Global(name),
                _ => return Err(self.expected("a variable")),
            };
            self.advance();
            targets.push(if splat { Target::Splat(Box::new(target)) } else { target });
            if self.take_op("=") {
                return Ok(Some(targets));
            }
            self.expect_op(",")?;
        }
    }

    /// The right side of an assignment: an expression, or a list without brackets.
    fn assigned_value(&mut self) -> Result<Node> {
        let at = self.place();
        let splat = self.take_op("*");
        let first = self.deeper(Self::expression_without_words)?;
        let first = if splat { self.node(at, Expr::Splat(Box::new(first)))? } else { first };
        if !splat && !self.is_op(",") {
            return self.rescued(first);
        }
        let mut list = vec![first];
        while self.take_op(",") {
            self.skip_newlines();
            let at = self.place();
            let splat = self.take_op("*");
            let next = self.deeper(Self::expression_without_words)?;
            list.push(if splat { self.node(at, Expr::Splat(Box::new(next)))? } else { next });
        }
        self.node(at, Expr::Array(list))
    }

    /// `x = value rescue other` rescues the value.
    fn rescued(&mut self, value: Node) -> Result<Node> {
        let at = self.place();
        if !self.take_word("rescue") {
            return Ok(value);
        }
        let body = self.expression()?;
        let clause = super::super::ast::Clause { tests: Vec::new(), binding: None, body };
        self.node(at, Expr::Begin(Box::new(value), vec![clause], None, None))
    }

    /// An expression without `not`, `and`, `or` and lists.
    pub(super) fn expression_without_words(&mut self) -> Result<Node> {
        self.deeper(|p| {
            let at = p.place();
            let condition = p.binary(0)?;
            if !(p.is_op("?")) {
                return Ok(condition);
            }
            p.advance();
            p.skip_newlines();
            let then = p.expression_without_words()?;
            p.skip_newlines();
            // `a ? b : c` may have been read as the label `b:`.
            p.expect_op(":")?;
            p.skip_newlines();
            let otherwise = p.expression_without_words()?;
            p.node(at, Expr::If(Box::new(condition), Box::new(then), Some(Box::new(otherwise))))
        })
    }

    /// An operand without binary operators, for defaults between bars.
    pub(super) fn operand_alone(&mut self) -> Result<Node> {
        self.deeper(|p| p.unary())
    }

    fn binary(&mut self, least: u8) -> Result<Node> {
        let mut left = self.unary()?;
        loop {
            let at = self.place();
            let Kind::Op(op) = *self.kind() else { return Ok(left) };
            let Some((power, right_first)) = binding(op) else { return Ok(left) };
            if power < least || (power == least && !right_first && least > 0) {
                return Ok(left);
            }
            self.advance();
            let open_ended = matches!(op, ".." | "...")
                && matches!(
                    self.kind(),
                    Kind::Newline | Kind::End | Kind::Op(")" | "]" | ";") | Kind::Word("then" | "do")
                );
            if open_ended {
                left = self.node(at, Expr::Range(Some(Box::new(left)), None, op == "..."))?;
                continue;
            }
            self.skip_newlines();
            let right = self.deeper(|p| p.binary(if right_first { power - 1 } else { power }))?;
            left = self.combined(at, op, left, right)?;
        }
    }

    fn combined(&mut self, at: Place, op: &'static str, left: Node, right: Node) -> Result<Node> {
        let (a, b) = (Box::new(left), Box::new(right));
        let expr = match op {
            "&&" => Expr::And(a, b),
            "||" => Expr::Or(a, b),
            ".." | "..." => Expr::Range(Some(a), Some(b), op == "..."),
            "!=" | "!~" => {
                let positive = if op == "!=" { "==" } else { "=~" };
                let equal = self.node(at, operator_call(*a, positive, *b))?;
                Expr::Not(Box::new(equal))
            }
            _ => operator_call(*a, op, *b),
        };
        self.node(at, expr)
    }

    fn unary(&mut self) -> Result<Node> {
        let at = self.place();
        let Kind::Op(op) = *self.kind() else { return self.assignable() };
        match op {
            "!" => {
                self.advance();
                let inner = self.deeper(Self::unary)?;
                self.node(at, Expr::Not(Box::new(inner)))
            }
            "-" => {
                self.advance();
                // A number with its sign is one literal, to which `**` does not apply alone.
                let literal = matches!(self.kind(), Kind::Int(_) | Kind::Float(_)) && !self.token().spaced;
                let inner = self.deeper(|p| p.binary(UNARY_MINUS))?;
                let expr = match inner.expr {
                    Expr::Int(n) if literal => Expr::Int(-n),
                    Expr::Float(n) if literal => Expr::Float(-n),
                    _ => method_call(inner, "-@"),
                };
                self.node(at, expr)
            }
            "+" => {
                self.advance();
                let inner = self.deeper(Self::unary)?;
                self.node(at, method_call(inner, "+@"))
            }
            "~" => {
                self.advance();
                let inner = self.deeper(Self::unary)?;
                self.node(at, method_call(inner, "~"))
            }
            ".." | "..." => {
                self.advance();
                let end = self.deeper(|p| p.binary(10))?;
                self.node(at, Expr::Range(None, Some(Box::new(end)), op == "..."))
            }
            _ => self.assignable(),
        }
    }

    /// An operand, or an assignment to it.
    fn assignable(&mut self) -> Result<Node> {
        let at = self.place();
        // The name is declared before its value is parsed, as in Ruby.
        let node = self.postfix()?;
        let Kind::Op(op) = *self.kind() else { return Ok(node) };
        if op == "=" {
            let target = self.target(node)?;
            self.advance();
            self.skip_newlines();
            let value = self.deeper(Self::assigned_value_of_one)?;
            return self.node(at, Expr::Assign(Box::new(target), Box::new(value)));
        }
        let Some((_, op)) = ASSIGNMENTS.iter().find(|(sign, _)| *sign == op) else { return Ok(node) };
        let target = self.target(node)?;
        self.advance();
        self.skip_newlines();
        let value = self.deeper(Self::assigned_value_of_one)?;
        self.node(at, Expr::OpAssign(Box::new(target), op, Box::new(value)))
    }

    fn assigned_value_of_one(&mut self) -> Result<Node> {
        // Inside arguments a comma begins the next argument.
        if self.in_list {
            return self.expression_without_words();
        }
        self.assigned_value()
    }

    fn target(&mut self, node: Node) -> Result<Target> {
        let at = node.at;
        let wrong = || SyntaxError::new(at, "syntax error, this cannot be assigned to");
        Ok(match node.expr {
            Expr::Local(name) => Target::Local(name),
            Expr::Instance(name) => Target::Instance(name),
            Expr::Global(name) => Target::Global(name),
            Expr::Const(None, name) => Target::Const(name),
            Expr::Call(call) => match *call {
                Call { receiver: None, name, bare: true, .. } if !name.ends_with(['?', '!']) => {
                    self.declare(&name);
                    Target::Local(name)
                }
                Call { receiver: Some(receiver), name, args, .. } if name == "[]" => Target::Index(receiver, args),
                Call { receiver: Some(receiver), name, bare: true, .. } => Target::Attribute(receiver, name),
                _ => return Err(wrong()),
            },
            _ => return Err(wrong()),
        })
    }
}

fn operator_call(left: Node, op: &str, right: Node) -> Expr {
    Expr::Call(Box::new(Call {
        receiver: Some(left),
        name: op.to_owned(),
        args: vec![right],
        block: None,
        safe: false,
        bare: false,
    }))
}

fn method_call(receiver: Node, name: &str) -> Expr {
    Expr::Call(Box::new(Call {
        receiver: Some(receiver),
        name: name.to_owned(),
        args: Vec::new(),
        block: None,
        safe: false,
        bare: false,
    }))
}
