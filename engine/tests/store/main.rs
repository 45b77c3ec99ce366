//! The guarantees of the store interface, tested on every store, and those of the store on disk.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panics")]

#[path = "../shared/eventually.rs"]
mod eventually;
#[cfg(target_os = "linux")]
#[path = "../shared/file_limit.rs"]
mod file_limit;
#[path = "../shared/folder_copy.rs"]
mod folder_copy;
mod numbers;
mod stores;

mod compaction;
mod damage;
mod faults;
mod folder;
#[cfg(target_os = "linux")]
mod full_disk;
mod isolation;
mod journal;
mod lifetime;
mod order;
mod pace;
mod ranges;
mod recent_garbage;
mod recovery;
mod rewrite;
mod row_reads;
mod statistics;
mod time;

/// Runs each of these on each store.
macro_rules! on_every_store {
    ($($case:path as $name:ident),* $(,)?) => {
        mod memory {
            $(#[test] fn $name() { $case(&crate::stores::memory()); })*
        }
        mod memory_with_bodies_run_twice {
            $(#[test] fn $name() { $case(&crate::stores::memory_with_bodies_run_twice()); })*
        }
        mod fault_that_does_not_strike {
            $(#[test] fn $name() { $case(&crate::stores::fault_that_does_not_strike()); })*
        }
        mod on_disk {
            $(#[test] fn $name() { $case(&crate::stores::on_disk()); })*
        }
    };
}

on_every_store! {
    crate::order::pairs_come_in_byte_order as pairs_come_in_byte_order,
    crate::order::a_range_has_its_start_and_not_its_end as a_range_has_its_start_and_not_its_end,
    crate::order::a_range_can_be_read_at_once as a_range_can_be_read_at_once,
    crate::order::an_upside_down_range_is_empty as an_upside_down_range_is_empty,
    crate::order::seeking_goes_forward_only as seeking_goes_forward_only,
    crate::order::seeking_backwards_goes_backward_only as seeking_backwards_goes_backward_only,
    crate::order::the_last_write_of_a_key_counts as the_last_write_of_a_key_counts,
    crate::isolation::an_error_leaves_nothing_behind as an_error_leaves_nothing_behind,
    crate::isolation::a_transaction_does_not_see_its_own_writes as a_transaction_does_not_see_its_own_writes,
    crate::isolation::a_space_is_empty_in_an_earlier_snapshot as a_space_is_empty_in_an_earlier_snapshot,
    crate::isolation::increments_from_many_threads_add_up as increments_from_many_threads_add_up,
    crate::isolation::transactions_over_several_rows_do_not_deadlock as transactions_over_several_rows_do_not_deadlock,
    crate::isolation::no_snapshot_shows_a_part_of_a_transaction as no_snapshot_shows_a_part_of_a_transaction,
    crate::isolation::invalid_keys_are_refused as invalid_keys_are_refused,
    crate::isolation::a_transaction_needs_a_durability as a_transaction_needs_a_durability,
    crate::lifetime::spaces_are_created_and_dropped as spaces_are_created_and_dropped,
    crate::lifetime::an_unknown_space_is_refused as an_unknown_space_is_refused,
    crate::lifetime::a_dropped_space_takes_no_more_writes as a_dropped_space_takes_no_more_writes,
    crate::lifetime::the_catalog_cannot_be_dropped as the_catalog_cannot_be_dropped,
    crate::lifetime::a_snapshot_keeps_what_it_saw as a_snapshot_keeps_what_it_saw,
    crate::lifetime::a_cursor_survives_its_space_or_ends as a_cursor_survives_its_space_or_ends,
    crate::lifetime::everything_is_refused_once_closed as everything_is_refused_once_closed,
    crate::lifetime::closing_ends_operations_in_progress as closing_ends_operations_in_progress,
    crate::time::time_follows_the_clock as time_follows_the_clock,
    crate::time::a_put_after_a_delete_is_later as a_put_after_a_delete_is_later,
    crate::time::other_rows_are_not_delayed as other_rows_are_not_delayed,
    crate::time::a_clock_set_back_does_not_turn_time_back as a_clock_set_back_does_not_turn_time_back,
    crate::time::a_row_ahead_of_the_clock_stays_ahead as a_row_ahead_of_the_clock_stays_ahead,
    crate::time::a_callers_far_future_is_not_followed as a_callers_far_future_is_not_followed,
    crate::time::after_a_setback_time_advances_at_half_speed as after_a_setback_time_advances_at_half_speed,
    crate::time::a_row_is_ahead_by_a_second_at_most as a_row_is_ahead_by_a_second_at_most,
    crate::time::a_new_version_is_after_the_old_one_up_to_the_bound as a_new_version_is_after_the_old_one_up_to_the_bound,
    crate::time::sequence_numbers_rise as sequence_numbers_rise,
    crate::statistics::the_spaces_are_counted as the_spaces_are_counted,
    crate::compaction::without_a_filter_everything_is_kept as without_a_filter_everything_is_kept,
    crate::compaction::pairs_that_the_filter_drops_are_removed as pairs_that_the_filter_drops_are_removed,
    crate::compaction::only_a_major_compaction_is_whole as only_a_major_compaction_is_whole,
    crate::compaction::an_overwritten_key_is_filtered_once as an_overwritten_key_is_filtered_once,
    crate::recent_garbage::recent_garbage_is_what_was_written_since_the_last_call as recent_garbage_is_what_was_written_since_the_last_call,
    crate::recent_garbage::recent_garbage_may_be_in_files as recent_garbage_may_be_in_files,
    crate::recent_garbage::the_search_for_recent_garbage_has_a_budget as the_search_for_recent_garbage_has_a_budget,
    crate::compaction::a_snapshot_keeps_what_is_dropped as a_snapshot_keeps_what_is_dropped,
    crate::compaction::a_compaction_that_is_cancelled_before_it_begins_does_nothing as a_compaction_that_is_cancelled_before_it_begins_does_nothing,
}
