//! Comparison operators of filters and checked writes.

/// How two byte strings are compared (HBase's `CompareOperator`). The numbers are HBase's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CompareOp {
    /// `<`
    Less = 0,
    /// `<=`
    LessOrEqual = 1,
    /// `=`
    Equal = 2,
    /// `!=`
    NotEqual = 3,
    /// `>=`
    GreaterOrEqual = 4,
    /// `>`
    Greater = 5,
    /// No comparison at all.
    NoOp = 6,
}
