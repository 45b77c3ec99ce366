//! The Thrift1 gateway: argument structs in, engine calls, result structs out.

mod atomic;
mod column;
mod convert;
mod delete;
mod error;
mod get;
mod listing;
mod mutate;
mod mutation;
mod put_list;
mod region;
mod remembered;
mod rows;
mod scan;
mod server;
mod short_increment;
mod short_put;
mod table;

use hjall_idl::hbase1::*;
use thrift::protocol::{TInputProtocol, TSerializable};

use super::permission;
use crate::gateway::context::CallContext;
use crate::wire::fault::Fault;
use crate::wire::method::{Method, Service, Thrift1};
use crate::wire::reply::Output;

pub use put_list::put_list;
pub use remembered::remembered_row;
pub use short_increment::short_increment;
pub use short_put::short_put;

hjall_idl::thrift1_methods!(dispatcher);
