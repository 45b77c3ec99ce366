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

impl CompareOp {
    /// All operators, in the order of their numbers.
    pub const ALL: [Self; 7] =
        [Self::Less, Self::LessOrEqual, Self::Equal, Self::NotEqual, Self::GreaterOrEqual, Self::Greater, Self::NoOp];

    /// HBase's name of the operator.
    pub fn name(self) -> &'static str {
        match self {
            Self::Less => "LESS",
            Self::LessOrEqual => "LESS_OR_EQUAL",
            Self::Equal => "EQUAL",
            Self::NotEqual => "NOT_EQUAL",
            Self::GreaterOrEqual => "GREATER_OR_EQUAL",
            Self::Greater => "GREATER",
            Self::NoOp => "NO_OP",
        }
    }

    /// The symbol of the operator in HBase's filter language; `None` for [`Self::NoOp`].
    pub fn symbol(self) -> Option<&'static str> {
        Some(match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::GreaterOrEqual => ">=",
            Self::Greater => ">",
            Self::NoOp => return None,
        })
    }

    /// The operator with this number.
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|op| *op as i32 == number)
    }

    /// The operator with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.name() == name)
    }

    /// The operator with this symbol.
    pub fn from_symbol(symbol: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.symbol() == Some(symbol))
    }
}
