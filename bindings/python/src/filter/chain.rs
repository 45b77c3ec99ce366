//! Chains of filters with one operator.

use std::sync::Arc;

use hjall_engine::filter::{FilterSpec, ListOperator};
use parking_lot::Mutex;

/// A chain of one operator, such as `a & b & c`, which becomes a single list, as in the filter language. A chain and
/// those that extend it share their operands, so that a loop that extends one takes linear time.
pub struct Chain {
    operator: ListOperator,
    shared: Arc<Mutex<Shared>>,
    /// The number of members of the list that are this chain's.
    members: usize,
    /// The number of operands that are this chain's. The first one may be a list, and then has several members.
    operands: usize,
    /// The depth of nested filters.
    depth: usize,
}

struct Shared {
    members: Vec<FilterSpec>,
    /// The Python expression for each operand, as far as it is known.
    operands: Vec<Option<String>>,
}

impl Shared {
    fn push(&mut self, spec: FilterSpec, text: Option<String>) {
        self.members.push(spec);
        self.operands.push(text);
    }
}

/// An operand of a chain.
pub struct Operand {
    /// The filter.
    pub spec: FilterSpec,
    /// Its Python expression, in parentheses if it needs them.
    pub text: Option<String>,
    /// The depth of nested filters.
    pub depth: usize,
}

impl Chain {
    /// Makes a chain of one operand. If that is a list with this operator, it is extended.
    pub fn new(operator: ListOperator, first: Operand) -> Self {
        let Operand { spec, text, depth } = first;
        let (members, depth) = match spec.as_list() {
            Some((own, members)) if own == operator => (members.to_vec(), depth),
            _ => (vec![spec], depth + 1),
        };
        let (count, operands) = (members.len(), vec![text]);
        Self {
            operator,
            shared: Arc::new(Mutex::new(Shared { members, operands })),
            members: count,
            operands: 1,
            depth,
        }
    }

    /// The chain with another operand.
    pub fn with(&self, operand: Operand) -> Self {
        let Operand { spec, text, depth } = operand;
        let mut shared = self.shared.lock();
        let longer = if shared.operands.len() == self.operands {
            shared.push(spec, text);
            Arc::clone(&self.shared)
        } else {
            // Another filter has extended this chain.
            let (members, operands) = self.own(&shared);
            let mut copy = Shared { members: members.to_vec(), operands: operands.to_vec() };
            copy.push(spec, text);
            Arc::new(Mutex::new(copy))
        };
        let (members, operands) = (self.members + 1, self.operands + 1);
        Self { operator: self.operator, shared: longer, members, operands, depth: self.depth.max(depth + 1) }
    }

    fn own<'a>(&self, shared: &'a Shared) -> (&'a [FilterSpec], &'a [Option<String>]) {
        (&shared.members[..self.members], &shared.operands[..self.operands])
    }

    /// The operator.
    pub fn operator(&self) -> ListOperator {
        self.operator
    }

    /// The depth of nested filters.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The list.
    pub fn spec(&self) -> FilterSpec {
        FilterSpec::list(self.operator, self.own(&self.shared.lock()).0.to_vec())
    }

    /// The Python expression, if that of every operand is known.
    pub fn expression(&self) -> Option<String> {
        let sign = if self.operator == ListOperator::All { " & " } else { " | " };
        let shared = self.shared.lock();
        let texts: Option<Vec<_>> = self.own(&shared).1.iter().map(Option::as_deref).collect();
        Some(texts?.join(sign))
    }
}
