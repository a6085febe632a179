//! What is at the address: one test for each kind of place, and for those that look alike.

use super::*;
use crate::{EarlierMapping, MappedFile};

/// mov rax,[rdi+138h]
const READ: &[u8] = &[0x48, 0x8b, 0x87, 0x38, 0x01, 0x00, 0x00];
/// mov [rdi],al
const WRITE: &[u8] = &[0x88, 0x07];
const HEAP: u64 = 0x5000_0000;

fn reading(address: u64) -> World {
    World::new(READ)
        .registers(|registers| registers.rdi = Address(address.wrapping_sub(0x138)))
        .nothing_at(address)
}

fn writing(address: u64) -> World {
    World::new(WRITE)
        .registers(|registers| registers.rdi = Address(address))
        .nothing_at(address)
}

fn heap() -> Mapping {
    mapping(HEAP, 0x2000, "rw-p", "[heap]")
}

#[test]
fn a_field_of_a_null_object_is_in_the_null_page() {
    assert_eq!(reading(0x138).place(), Place::NullPage { offset: 0x138 });
    assert_eq!(reading(0xfff8).place(), Place::NullPage { offset: 0xfff8 });
}

#[test]
fn an_address_the_kernel_does_not_name_is_computed() {
    let world = World::new(READ)
        .registers(|registers| registers.rdi = Address(0x4141_4141_4141_4141))
        .raised(Signal::SEGV, "SI_KERNEL", None);
    assert_eq!(world.place(), Place::NonCanonical);
    let access = world.access();
    assert_eq!(access.address, Address(0x4141_4141_4141_4279));
    assert!(!access.confirmed);
}

#[test]
fn a_small_negative_number_is_an_address_of_the_kernel() {
    assert_eq!(reading(0xffff_ffff_ffff_fff8).place(), Place::KernelSpace);
}

#[test]
fn an_address_in_the_middle_of_nothing_has_its_neighbours() {
    let world = reading(0x5800_0000).with(heap());
    let Place::Unmapped { below, above } = world.place() else {
        panic!("{:?}", world.place())
    };
    assert_eq!(below, Some(heap()));
    assert_eq!(
        above.and_then(|above| above.path),
        Some("[stack]".to_owned())
    );
}

#[test]
fn the_first_bytes_behind_memory_are_an_overrun() {
    for world in [writing(HEAP + 0x2000), reading(HEAP + 0x2000 + 0x1f0)] {
        let world = world.with(heap());
        let Place::PastEnd { mapping, .. } = world.place() else {
            panic!("{:?}", world.place())
        };
        assert_eq!(mapping, heap());
    }
}

#[test]
fn a_stride_behind_memory_is_an_overrun_only_where_nothing_else_is_near() {
    let world = || writing(HEAP + 0x1_4000).with(heap());
    let alone = world().place();
    assert!(
        matches!(
            alone,
            Place::PastEnd {
                distance: 0x1_2000,
                ..
            }
        ),
        "{alone:?}"
    );
    let crowded = world().with(mapping(HEAP + 0x20_0000, 0x1000, "rw-p", ""));
    assert!(matches!(crowded.place(), Place::Unmapped { .. }));
}

#[test]
fn an_overrun_into_a_guard_page_is_no_stack_overflow() {
    let guard = mapping(HEAP + 0x2000, 0x1000, "---p", "");
    let thread_stack = mapping(HEAP + 0x3000, 0x8000, "rw-p", "");
    let world = writing(HEAP + 0x2000)
        .forbidden_at(HEAP + 0x2000)
        .with(heap())
        .with(guard)
        .with(thread_stack);
    assert!(matches!(world.place(), Place::PastEnd { distance: 0, .. }));
}

#[test]
fn memory_that_may_not_be_touched_is_named() {
    let guard = mapping(HEAP + 0x10_0000, 0x3000, "---p", "");
    let world = writing(HEAP + 0x10_1000)
        .forbidden_at(HEAP + 0x10_1000)
        .with(heap())
        .with(guard.clone());
    assert_eq!(world.place(), Place::NoAccess { mapping: guard });
}

#[test]
fn a_write_to_constants_is_a_write_to_read_only_memory() {
    let constants = mapping(CODE + 0x1000, 0x1000, "r--p", "/usr/bin/program");
    let world = writing(CODE + 0x1010)
        .forbidden_at(CODE + 0x1010)
        .with(constants.clone());
    assert_eq!(world.place(), Place::ReadOnly { mapping: constants });
}

#[test]
fn an_overrun_into_read_only_memory_is_told_by_the_pointer_it_came_with() {
    // mov [rdi+rcx],al
    let indexed = World::new(&[0x88, 0x04, 0x0f])
        .registers(|registers| {
            registers.rdi = Address(HEAP + 0x1000);
            registers.rcx = Address(0x1000);
        })
        .forbidden_at(HEAP + 0x2000)
        .with(heap())
        .with(mapping(HEAP + 0x2000, 0x1000, "r--p", "/data/weights.npy"));
    assert!(matches!(
        indexed.place(),
        Place::PastEnd { distance: 0, .. }
    ));
}

#[test]
fn a_write_to_the_first_byte_of_a_read_only_file_is_not_called_an_overrun() {
    let file = mapping(HEAP + 0x2000, 0x1000, "r--s", "/data/weights.bin");
    let world = writing(HEAP + 0x2000)
        .forbidden_at(HEAP + 0x2000)
        .with(heap())
        .with(file.clone());
    assert_eq!(world.place(), Place::ReadOnly { mapping: file });
}

#[test]
fn running_data_is_running_what_is_no_code() {
    let world = World::new(&[])
        .registers(|registers| registers.rip = Address(HEAP + 0x10))
        .forbidden_at(HEAP + 0x10)
        .with(heap());
    assert_eq!(world.place(), Place::NotExecutable { mapping: heap() });
    assert_eq!(world.access().kind, AccessKind::Execute);
    assert_eq!(world.site().instruction, None);
}

fn mapped_file(size: u64, space: Option<(u64, u64)>) -> World {
    let address = HEAP + 0x3010;
    let mut file = mapping(HEAP, 0x8000, "rw-s", "/dev/shm/batch");
    file.offset = 0x1000;
    writing(address)
        .raised(Signal::BUS, "BUS_ADRERR", Some(address))
        .with(file)
        .witnessed(|witnessed| {
            witnessed.file = Some(MappedFile {
                size,
                space,
                in_memory: Some(true),
            });
        })
}

#[test]
fn a_file_that_became_shorter_is_named_with_sizes() {
    let world = mapped_file(0x3000, Some((0, 1 << 20)));
    let Place::BeyondFile {
        file_size,
        file_offset,
        ..
    } = world.place()
    else {
        panic!("{:?}", world.place())
    };
    assert_eq!((file_size, file_offset), (0x3000, 0x4010));
}

#[test]
fn the_last_page_of_a_file_can_be_touched_to_its_end() {
    let world = mapped_file(0x4001, Some((1 << 30, 1 << 40)));
    assert!(matches!(world.place(), Place::Mapped { .. }));
}

#[test]
fn a_full_file_system_is_named_with_its_size() {
    let world = mapped_file(0x8000, Some((0, 1 << 20)));
    assert!(matches!(
        world.place(),
        Place::NoSpace {
            free_bytes: 0,
            total_bytes: 0x10_0000,
            in_memory: Some(true),
            ..
        }
    ));
}

fn with_history(world: World, was: Mapping) -> World {
    world.witnessed(|witnessed| {
        witnessed.earlier = Some(EarlierMapping {
            mapping: was,
            last_seen_milliseconds: 700,
        });
    })
}

#[test]
fn memory_that_was_there_before_is_released() {
    let was = mapping(HEAP + 0x2000, 0x10_0000, "rw-s", "/dev/shm/psm_1");
    let world = with_history(reading(HEAP + 0x2000), was.clone()).with(heap());
    assert_eq!(
        world.place(),
        Place::Released {
            mapping: was,
            last_seen_milliseconds: 700
        }
    );
}

#[test]
fn the_first_byte_behind_memory_is_no_overrun_if_nothing_led_there_from_it() {
    let neighbour = || mapping(HEAP + 0x20_0000, 0x1000, "rw-p", "");
    let world = || writing(HEAP + 0x2000).with(heap()).with(neighbour());
    assert!(matches!(world().place(), Place::Unmapped { .. }));
    let by_register = world().registers(|registers| registers.r12 = Address(HEAP + 0x40));
    let by_stack = world().holding(
        STACK + 0x8000,
        &[[0; 8], (HEAP + 0x40).to_le_bytes()].concat(),
    );
    for world in [by_register, by_stack] {
        assert!(matches!(
            world.place(),
            Place::PastEnd {
                pointed_into: true,
                ..
            }
        ));
    }
}

#[test]
fn a_heap_that_shrank_is_overrun_at_its_end_and_released_further_on() {
    let was = mapping(HEAP, 0x10_0000, "rw-p", "[heap]");
    let at = |address| with_history(writing(address), was.clone()).with(heap());
    let overrun = at(HEAP + 0x2000).registers(|registers| registers.rsi = Address(HEAP));
    assert!(matches!(overrun.place(), Place::PastEnd { .. }));
    assert!(matches!(at(HEAP + 0x2000).place(), Place::Released { .. }));
    assert!(matches!(at(HEAP + 0x3000).place(), Place::Released { .. }));
}

#[test]
fn a_vector_at_an_odd_address_is_misaligned() {
    // movaps xmm0,[rsp+8]
    let world = World::new(&[0x0f, 0x28, 0x44, 0x24, 0x08]).raised(Signal::SEGV, "SI_KERNEL", None);
    assert!(matches!(
        world.place(),
        Place::Misaligned { alignment: 16, .. }
    ));
}

#[test]
fn memory_whose_permissions_do_not_explain_the_fault_is_only_mapped() {
    let world = reading(HEAP + 0x100)
        .forbidden_at(HEAP + 0x100)
        .with(heap());
    assert_eq!(world.place(), Place::Mapped { mapping: heap() });
}
