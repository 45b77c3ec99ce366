//! HBase's serialised filters: protocol buffers in which every filter is the name of a Java class and that class's own message.

mod comparators;
mod decode;
mod encode;
mod messages;
mod refusal;
