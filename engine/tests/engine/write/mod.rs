//! Puts, deletes, increments, appends and checks.

mod changes;
mod checks;
mod counts;
mod deletes;
mod event_loop;
mod faults;
mod groups;
mod loads;
mod puts;
mod row_time;
mod waits;
