//! The language of the shell: what scripts for HBase's shell use of Ruby. It knows no commands; a [`Host`] runs them.

mod ast;
mod inspect;
mod interpreter;
mod lexer;
mod parser;
mod statement;
mod token;
mod value;

pub use ast::Node;
pub use inspect::{inspect, inspected, to_text};
pub use interpreter::{
    Host, Interpreter, Outcome, Raise, State, binary_bytes, filter_of, functions, implicit, wrong_count,
};
pub use parser::{SOURCE_BYTES_MAX, parse};
pub use statement::Statement;
pub use token::{Place, SyntaxError};
pub use value::{Exception, Java, Value, jruby_class};
