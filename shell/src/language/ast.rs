//! The syntax tree.

use std::rc::Rc;

use num_bigint::BigInt;

use super::token::Place;

/// A node of the tree. Its height is bounded, so that evaluating and dropping it cannot exhaust the stack.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it is.
    pub expr: Expr,
    /// Where it begins.
    pub at: Place,
    /// The length of the longest path down from here.
    pub height: u16,
}

/// A part of a text.
#[derive(Debug, Clone)]
pub enum Piece {
    /// Bytes as they are.
    Bytes(Vec<u8>),
    /// The text of a value.
    Code(Node),
}

/// The target of an assignment.
#[derive(Debug, Clone)]
pub enum Target {
    /// A local variable.
    Local(String),
    /// `@name`.
    Instance(String),
    /// `$name`.
    Global(String),
    /// `NAME`.
    Const(String),
    /// `receiver[arguments]`.
    Index(Node, Vec<Node>),
    /// `receiver.name`.
    Attribute(Node, String),
    /// `*target`.
    Splat(Box<Target>),
    /// `(a, b)`.
    List(Vec<Target>),
}

/// A parameter of a method or a block.
#[derive(Debug, Clone)]
pub enum Param {
    /// A parameter that must be given.
    Required(Target),
    /// A parameter with a default.
    Optional(String, Node),
    /// `*rest`.
    Rest(String),
    /// `name:` with an optional default.
    Keyword(String, Option<Node>),
    /// `&block`.
    Block(String),
}

/// Parameters and a body.
#[derive(Debug)]
pub struct Code {
    /// The parameters.
    pub params: Vec<Param>,
    /// The body.
    pub body: Node,
}

/// A method call.
#[derive(Debug, Clone)]
pub struct Call {
    /// The receiver; `None`: a command, a method of the script, or a variable.
    pub receiver: Option<Node>,
    /// The name of the method.
    pub name: String,
    /// The arguments.
    pub args: Vec<Node>,
    /// The block.
    pub block: Option<Rc<Code>>,
    /// `&.`: nil answers nil.
    pub safe: bool,
    /// Neither arguments nor parentheses: it may be a variable.
    pub bare: bool,
}

/// One `when` of a `case`, or one `rescue`.
#[derive(Debug, Clone)]
pub struct Clause {
    /// The patterns, or the classes of exceptions.
    pub tests: Vec<Node>,
    /// The variable that receives the exception.
    pub binding: Option<Target>,
    /// What to do.
    pub body: Node,
}

/// An expression.
#[derive(Debug, Clone)]
pub enum Expr {
    /// `nil`.
    Nil,
    /// `true`.
    True,
    /// `false`.
    False,
    /// `self`.
    Myself,
    /// A whole number.
    Int(BigInt),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Str(Vec<Piece>),
    /// A symbol.
    Symbol(Vec<Piece>),
    /// A regular expression and its flags.
    Regex(Vec<Piece>, String),
    /// An array.
    Array(Vec<Node>),
    /// A hash; a pair without a key merges another hash.
    Hash(Vec<(Option<Node>, Node)>),
    /// A range; whether the end is excluded.
    Range(Option<Box<Node>>, Option<Box<Node>>, bool),
    /// A local variable.
    Local(String),
    /// `@name`.
    Instance(String),
    /// `$name`.
    Global(String),
    /// `NAME` or `scope::NAME`.
    Const(Option<Box<Node>>, String),
    /// A call.
    Call(Box<Call>),
    /// `target = value`.
    Assign(Box<Target>, Box<Node>),
    /// `target op= value`; the operator without the `=`.
    OpAssign(Box<Target>, &'static str, Box<Node>),
    /// `a, b = values`.
    MultiAssign(Vec<Target>, Box<Node>),
    /// `a && b`.
    And(Box<Node>, Box<Node>),
    /// `a || b`.
    Or(Box<Node>, Box<Node>),
    /// `!a`.
    Not(Box<Node>),
    /// `defined?(a)`.
    Defined(Box<Node>),
    /// Condition, consequence, alternative.
    If(Box<Node>, Box<Node>, Option<Box<Node>>),
    /// Condition, body, whether the condition is negated, whether the body runs first.
    While(Box<Node>, Box<Node>, bool, bool),
    /// `for targets in list`.
    For(Vec<Target>, Box<Node>, Box<Node>),
    /// `case`.
    Case(Option<Box<Node>>, Vec<Clause>, Option<Box<Node>>),
    /// `begin`: body, `rescue`, `else`, `ensure`.
    Begin(Box<Node>, Vec<Clause>, Option<Box<Node>>, Option<Box<Node>>),
    /// `def`.
    Def(String, Rc<Code>),
    /// `->(x) { … }`.
    Lambda(Rc<Code>),
    /// `return`.
    Return(Option<Box<Node>>),
    /// `break`.
    Break(Option<Box<Node>>),
    /// `next`.
    Next(Option<Box<Node>>),
    /// `yield`.
    Yield(Vec<Node>),
    /// Statements.
    Seq(Vec<Node>),
    /// `*list` among arguments.
    Splat(Box<Node>),
    /// `&block` among arguments.
    BlockPass(Box<Node>),
}

impl Expr {
    /// The greatest height of the nodes directly below.
    pub fn below(&self) -> u16 {
        let mut top = 0;
        let mut see = |node: &Node| top = top.max(node.height);
        match self {
            Self::Nil
            | Self::True
            | Self::False
            | Self::Myself
            | Self::Int(_)
            | Self::Float(_)
            | Self::Local(_)
            | Self::Instance(_)
            | Self::Global(_) => {}
            Self::Str(pieces) | Self::Symbol(pieces) | Self::Regex(pieces, _) => {
                for piece in pieces {
                    if let Piece::Code(node) = piece {
                        see(node);
                    }
                }
            }
            Self::Array(nodes) | Self::Yield(nodes) | Self::Seq(nodes) => nodes.iter().for_each(see),
            Self::Hash(pairs) => {
                for (key, value) in pairs {
                    key.iter().for_each(&mut see);
                    see(value);
                }
            }
            Self::Range(a, b, _) => a.iter().chain(b).for_each(|node| see(node)),
            Self::Const(scope, _) => scope.iter().for_each(|node| see(node)),
            Self::Call(call) => {
                call.receiver.iter().chain(&call.args).for_each(&mut see);
                call.block.iter().for_each(|code| see_code(code, &mut see));
            }
            Self::Assign(target, value) | Self::OpAssign(target, _, value) => {
                see(value);
                see_target(target, &mut see);
            }
            Self::MultiAssign(targets, value) => {
                see(value);
                targets.iter().for_each(|target| see_target(target, &mut see));
            }
            Self::And(a, b) | Self::Or(a, b) => {
                see(a);
                see(b);
            }
            Self::While(a, b, ..) => {
                see(a);
                see(b);
            }
            Self::For(targets, a, b) => {
                targets.iter().for_each(|target| see_target(target, &mut see));
                see(a);
                see(b);
            }
            Self::Not(a) | Self::Defined(a) | Self::Splat(a) | Self::BlockPass(a) => see(a),
            Self::If(a, b, c) => {
                see(a);
                see(b);
                c.iter().for_each(|node| see(node));
            }
            Self::Case(subject, clauses, otherwise) => {
                subject.iter().chain(otherwise).for_each(|node| see(node));
                clauses.iter().for_each(|clause| see_clause(clause, &mut see));
            }
            Self::Begin(body, clauses, otherwise, ensure) => {
                see(body);
                otherwise.iter().chain(ensure).for_each(|node| see(node));
                clauses.iter().for_each(|clause| see_clause(clause, &mut see));
            }
            Self::Def(_, code) | Self::Lambda(code) => see_code(code, &mut see),
            Self::Return(a) | Self::Break(a) | Self::Next(a) => a.iter().for_each(|node| see(node)),
        }
        top
    }
}

fn see_code(code: &Code, see: &mut impl FnMut(&Node)) {
    see(&code.body);
    for param in &code.params {
        match param {
            Param::Optional(_, node) | Param::Keyword(_, Some(node)) => see(node),
            Param::Required(target) => see_target(target, see),
            Param::Rest(_) | Param::Keyword(_, None) | Param::Block(_) => {}
        }
    }
}

fn see_clause(clause: &Clause, see: &mut impl FnMut(&Node)) {
    clause.tests.iter().for_each(&mut *see);
    see(&clause.body);
}

fn see_target(target: &Target, see: &mut impl FnMut(&Node)) {
    match target {
        Target::Index(receiver, args) => {
            see(receiver);
            args.iter().for_each(&mut *see);
        }
        Target::Attribute(receiver, _) => see(receiver),
        Target::Splat(inner) => see_target(inner, see),
        Target::List(targets) => {
            for target in targets {
                // The parser bounds how deep lists are nested.
                if let Target::Index(..) | Target::Attribute(..) = target {
                    see_shallow(target, see);
                }
            }
        }
        Target::Local(_) | Target::Instance(_) | Target::Global(_) | Target::Const(_) => {}
    }
}

fn see_shallow(target: &Target, see: &mut impl FnMut(&Node)) {
    if let Target::Index(receiver, _) | Target::Attribute(receiver, _) = target {
        see(receiver);
    }
}
