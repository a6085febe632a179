//! Stacks that are full, and faults beside stacks that are not.

use super::*;

/// push rax
const PUSH: &[u8] = &[0x50];
const THREAD_STACK: u64 = 0x7f00_0010_1000;
const THREAD_STACK_SIZE: u64 = 0x80_0000;

/// The first thread, its stack pointer `below` bytes below its stack.
fn first_thread(code: &[u8], below: u64) -> World {
    World::new(code).registers(|registers| registers.rsp = Address(STACK - below))
}

/// A further thread with a guard page.
fn further_thread() -> World {
    let mut world = World::new(PUSH)
        .registers(|registers| {
            registers.rsp = Address(THREAD_STACK);
            registers.fs_base = Address(THREAD_STACK + THREAD_STACK_SIZE - 2304);
        })
        .forbidden_at(THREAD_STACK - 8)
        .with(mapping(THREAD_STACK - 0x1000, 0x1000, "---p", ""))
        .with(mapping(THREAD_STACK, THREAD_STACK_SIZE, "rw-p", ""));
    world.snapshot.crashed_thread = Some(2);
    world
}

#[test]
fn a_push_below_the_first_threads_stack_is_an_overflow() {
    let site = first_thread(PUSH, 0)
        .nothing_at(STACK - 8)
        .witnessed(|witnessed| witnessed.stack_limit = Some(8 << 20))
        .site();
    assert_eq!(site.place, Some(Place::StackOverflow));
    let stack = site.stack.unwrap();
    assert_eq!((stack.size, stack.limit), (Some(STACK_SIZE), Some(8 << 20)));
}

#[test]
fn a_push_into_a_threads_guard_page_is_an_overflow() {
    let site = further_thread().site();
    assert_eq!(site.place, Some(Place::StackOverflow));
    let stack = site.stack.unwrap();
    assert_eq!((stack.size, stack.limit), (Some(THREAD_STACK_SIZE), None));
}

#[test]
fn a_stack_that_is_one_mapping_with_what_is_above_ends_at_the_threads_record() {
    let mut world = further_thread();
    let last = world
        .snapshot
        .maps
        .iter_mut()
        .find(|map| map.start.0 == THREAD_STACK);
    last.unwrap().end.0 += 0x10_0000;
    let stack = world.site().stack.unwrap();
    assert_eq!(stack.size, Some(THREAD_STACK_SIZE));
}

#[test]
fn a_frame_that_jumps_over_the_guard_page_is_an_overflow() {
    // mov [rsp],rax with 16 MB of a local array above it
    let code = [0x48, 0x89, 0x04, 0x24];
    let jump = first_thread(&code, 16 << 20).nothing_at(STACK - (16 << 20));
    let with_frame_pointer = jump.place();
    assert_eq!(with_frame_pointer, Place::StackOverflow);
    let walked = first_thread(&code, 16 << 20)
        .registers(|registers| registers.rbp = Address(0))
        .nothing_at(STACK - (16 << 20))
        .walked(&[STACK - (16 << 20), STACK + 0x100], StackEnd::Complete);
    assert_eq!(walked.place(), Place::StackOverflow);
}

#[test]
fn a_stack_pointer_that_is_garbage_is_no_overflow() {
    for pointer in [0x4141_4140, STACK - (1 << 24)] {
        let world = World::new(PUSH)
            .registers(|registers| {
                registers.rsp = Address(pointer);
                registers.rbp = Address(0x4141_4141);
            })
            .nothing_at(pointer - 8);
        assert!(matches!(world.place(), Place::Unmapped { .. }));
    }
    let with_good_frame = World::new(PUSH)
        .registers(|registers| registers.rsp = Address(0x4141_4140))
        .nothing_at(0x4141_4138);
    assert!(matches!(with_good_frame.place(), Place::Unmapped { .. }));
}

#[test]
fn a_bad_index_below_a_stack_that_is_not_full_is_no_overflow() {
    // mov [rdi],al
    let world = World::new(&[0x88, 0x07])
        .registers(|registers| registers.rdi = Address(STACK - 0x10))
        .nothing_at(STACK - 0x10);
    assert!(matches!(world.place(), Place::Unmapped { .. }));
}

#[test]
fn the_depth_is_judged_by_the_frames_that_were_seen() {
    let pointers: Vec<u64> = (0..100).map(|index| STACK + index * 0x100).collect();
    let world = first_thread(PUSH, 0)
        .nothing_at(STACK - 8)
        .walked(&pointers, StackEnd::DepthLimit);
    let depth = world.site().stack.unwrap().depth.unwrap();
    let expected = STACK_SIZE / 0x100;
    assert!(
        depth.abs_diff(expected) < expected / 20,
        "{depth} of {expected}"
    );
}

#[test]
fn a_full_stack_on_which_no_handler_can_run_is_told_without_the_kernels_address() {
    let world = further_thread().raised(Signal::SEGV, "SI_KERNEL", None);
    assert_eq!(world.place(), Place::StackOverflow);
    assert!(!world.access().confirmed);
}
