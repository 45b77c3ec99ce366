//! A pattern that one automaton finds. The automaton computes its states while it reads (a lazy DFA). Computing one may
//! pass through the whole pattern, so a search counts each of these computations.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::pool::Pool;
use regex_automata::util::prefilter::Prefilter;
use regex_automata::{Input, MatchKind, Span};
use regex_syntax::hir::Hir;

use super::memory::{self, PATTERN_MEMORY_MAX};
use super::text::Ended;
use crate::filter::work;

/// The most that a text and a pattern may have, multiplied (bytes, and states before they are combined), for a search
/// that is not interrupted: about a millisecond.
const SHORT: usize = 256 << 10;

/// The bytes that are read between two checks of the stop flag, unless states are computed.
const PIECE: usize = 64 << 10;

/// How many bytes the automaton reads in one unit of work.
const READ_BYTES: usize = 4;

type CreateCache = Box<dyn Fn() -> Cache + Send + Sync + UnwindSafe + RefUnwindSafe>;

/// The automaton of a pattern.
pub(super) struct Automaton {
    dfa: DFA,
    /// The states that have been computed, for each thread that searches at the same time.
    caches: Pool<Cache, CreateCache>,
    /// The literals with which all matches begin, if there are some.
    literals: Option<Prefilter>,
    /// The states of the pattern before they are combined: the work of computing a state.
    states: usize,
}

impl Automaton {
    /// Compiles a translated pattern whose compiled form is estimated to use this many bytes. `None` if it contains
    /// what only fancy-regex knows.
    pub(super) fn new(translated: &str, bytes: usize) -> Option<Self> {
        let hir = regex_syntax::parse(translated).ok()?;
        let nfa = nfa(&hir)?;
        let states = nfa.states().len();
        // Below the smallest usable capacity, that one is used.
        let config = DFA::config().cache_capacity(memory::state_cache(bytes)).skip_cache_capacity_check(true);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let for_caches = dfa.clone();
        let caches = Pool::new(Box::new(move || for_caches.create_cache()) as CreateCache);
        let literals = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, &hir).filter(Prefilter::is_fast);
        Some(Self { dfa, caches, literals, states })
    }

    /// Whether the text contains a match.
    ///
    /// # Errors
    /// `Stopped`.
    pub(super) fn is_match(&self, text: &str) -> Result<bool, Ended> {
        let Some(from) = self.first_literal(text) else { return Ok(false) };
        let input = Input::new(text).range(from..).earliest(true);
        let mut cache = self.caches.get();
        if (text.len() - from).saturating_mul(self.states) <= SHORT {
            let found = self.dfa.try_search_fwd(&mut cache, &input);
            return found.map(|found| found.is_some()).map_err(|_| Ended::Failed);
        }
        self.search(&mut cache, &input)
    }

    /// The first position at which a match may begin; `None` if the text contains no match.
    fn first_literal(&self, text: &str) -> Option<usize> {
        match &self.literals {
            None => Some(0),
            Some(literals) => literals.find(text.as_bytes(), Span::from(0..text.len())).map(|found| found.start),
        }
    }

    /// Like the search of regex-automata, but counts its work.
    fn search(&self, cache: &mut Cache, input: &Input<'_>) -> Result<bool, Ended> {
        let dfa = &self.dfa;
        let mut state = dfa.start_state_forward(cache, input).map_err(|_| Ended::Failed)?;
        if state.is_tagged() {
            return outcome(state);
        }
        for piece in input.haystack()[input.get_range()].chunks(PIECE) {
            work::charge(piece.len() / READ_BYTES).map_err(Ended::Stopped)?;
            for &byte in piece {
                state = match dfa.next_state_untagged(cache, state, byte) {
                    next if !next.is_unknown() => next,
                    _ => {
                        work::charge(self.states).map_err(Ended::Stopped)?;
                        dfa.next_state(cache, state, byte).map_err(|_| Ended::Failed)?
                    }
                };
                if state.is_tagged() {
                    return outcome(state);
                }
            }
        }
        let end = dfa.next_eoi_state(cache, state).map_err(|_| Ended::Failed)?;
        Ok(end.is_match())
    }
}

/// The states of an automaton before they are combined. `None` if only fancy-regex knows the pattern.
pub(super) fn states(pattern: &str) -> Option<usize> {
    Some(nfa(&regex_syntax::parse(pattern).ok()?)?.states().len())
}

fn nfa(hir: &Hir) -> Option<NFA> {
    // Only the existence of a match is wanted.
    let config = thompson::Config::new().which_captures(WhichCaptures::None).nfa_size_limit(Some(PATTERN_MEMORY_MAX));
    NFA::compiler().configure(config).build_from_hir(hir).ok()
}

/// The outcome of a search that has reached a state with a tag.
fn outcome(state: LazyStateID) -> Result<bool, Ended> {
    // Start states have no tag, and no byte ends a search early.
    if state.is_match() || state.is_dead() { Ok(state.is_match()) } else { Err(Ended::Failed) }
}

impl fmt::Debug for Automaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Automaton").field("states", &self.states).finish_non_exhaustive()
    }
}
