//! What the instruction did: the access among several, divisions, features.

use super::*;

const HEAP: u64 = 0x5000_0000;

fn at(code: &[u8], set: impl FnOnce(&mut Registers)) -> World {
    World::new(code).registers(set)
}

#[test]
fn the_text_is_what_an_assembler_writes() {
    let world = World::new(&[0x48, 0x8b, 0x87, 0x38, 0x01, 0x00, 0x00]).nothing_at(0x138);
    let instruction = world.site().instruction.unwrap();
    assert_eq!(instruction.text, "mov rax,[rdi+138h]");
    assert_eq!(instruction.bytes, "488b8738010000");
    let expected = (AccessKind::Read, 0x138, Some(8), Some("rdi".to_owned()));
    assert_eq!(world.access_summary(), expected);
}

#[test]
fn a_copy_fails_at_its_source_or_at_its_destination() {
    // rep movsb
    let copy = || {
        at(&[0xf3, 0xa4], |registers| {
            registers.rsi = Address(HEAP);
            registers.rdi = Address(0x6000_0000);
            registers.rcx = Address(100);
        })
    };
    let reading = copy().nothing_at(HEAP).access_summary();
    assert_eq!(
        reading,
        (AccessKind::Read, HEAP, Some(1), Some("rsi".to_owned()))
    );
    let writing = copy().nothing_at(0x6000_0000).access_summary();
    assert_eq!(writing.0, AccessKind::Write);
    assert_eq!(writing.3.as_deref(), Some("rdi"));
}

#[test]
fn the_kernel_may_name_a_byte_within_a_wide_access() {
    // vmovups ymm0,[rax]
    let world = at(&[0xc5, 0xfc, 0x10, 0x00], |registers| {
        registers.rax = Address(HEAP + 0xff0);
    })
    .nothing_at(HEAP + 0x1000)
    .with(mapping(HEAP, 0x1000, "rw-p", ""));
    let access = world.access();
    assert_eq!((access.width, access.confirmed), (Some(32), true));
    assert_eq!(
        access.base.unwrap().points_into,
        Some(mapping(HEAP, 0x1000, "rw-p", ""))
    );
    assert!(matches!(world.place(), Place::PastEnd { distance: 0, .. }));
}

#[test]
fn a_call_through_a_bad_pointer_is_a_read() {
    // call [rax]
    let world = World::new(&[0xff, 0x10]).nothing_at(0);
    assert_eq!(
        world.access_summary(),
        (AccessKind::Read, 0, Some(8), Some("rax".to_owned()))
    );
}

#[test]
fn thread_local_storage_is_reached_through_its_base() {
    // mov eax,fs:[10h]
    let world = at(&[0x64, 0x8b, 0x04, 0x25, 0x10, 0, 0, 0], |registers| {
        registers.fs_base = Address(0x7000_0000);
    })
    .nothing_at(0x7000_0010);
    assert!(world.access().confirmed);
    assert_eq!(world.access().kind, AccessKind::Read);
}

#[test]
fn an_address_relative_to_the_code_is_computed() {
    // mov eax,[rip+10000h]
    let world = World::new(&[0x8b, 0x05, 0, 0, 1, 0]).nothing_at(CODE + 0x1_0006);
    assert!(world.access().confirmed);
}

#[test]
fn a_gather_is_told_without_its_index() {
    // vpgatherdd ymm0,[rax+ymm1*4],ymm2
    let world = at(&[0xc4, 0xe2, 0x6d, 0x90, 0x04, 0x88], |registers| {
        registers.rax = Address(HEAP);
    })
    .nothing_at(0x6666_0000)
    .with(mapping(HEAP, 0x1000, "rw-p", ""));
    let access = world.access();
    assert_eq!((access.kind, access.index), (AccessKind::Read, None));
    assert_eq!(access.base.map(|base| base.name), Some("rax".to_owned()));
}

#[test]
fn an_address_that_no_operand_has_is_not_attributed() {
    let world = World::new(&[0x48, 0x8b, 0x07]).nothing_at(0x6666_0000);
    let site = world.site();
    assert_eq!(site.access, None);
    assert!(matches!(site.place, Some(Place::Unmapped { .. })));
}

#[test]
fn a_call_to_where_nothing_is_names_its_caller() {
    let code = [&[0xff, 0xd0][..], &[0x90; 62]].concat();
    let world = World::new(&code)
        .registers(|registers| registers.rip = Address(0x40))
        .nothing_at(0x40)
        .holding(STACK + 0x8000, &(CODE + 2).to_le_bytes())
        .holding(CODE - 6, &[0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xff, 0xd0]);
    let access = world.access();
    assert_eq!(access.kind, AccessKind::Execute);
    assert_eq!(access.called_from, Some(Address(CODE + 2)));
    assert_eq!(world.place(), Place::NullPage { offset: 0x40 });
}

#[test]
fn a_call_the_processor_does_not_leave_is_told_from_where_it_is() {
    let garbage = 0x4141_4141_4141_4141;
    // call rax; ret
    let through_register = at(&[0xff, 0xd0], |registers| registers.rax = Address(garbage));
    let through_stack = World::new(&[0xc3]).holding(STACK + 0x8000, &garbage.to_le_bytes());
    for world in [through_register, through_stack] {
        let world = world.raised(Signal::SEGV, "SI_KERNEL", None);
        let access = world.access();
        assert_eq!(
            (access.kind, access.address),
            (AccessKind::Execute, Address(garbage))
        );
        assert_eq!(access.called_from, Some(Address(CODE)));
        assert_eq!(world.place(), Place::NonCanonical);
    }
}

fn division(code: &[u8], set: impl FnOnce(&mut Registers)) -> (String, Option<i64>, u32) {
    let world = at(code, set)
        .raised(Signal::FPE, "FPE_INTDIV", Some(CODE))
        .holding(HEAP, &7_u64.to_le_bytes());
    let division = world.site().division.expect("a division");
    (division.divisor, division.value, division.bits)
}

#[test]
fn a_division_names_what_it_divided_by() {
    // idiv ecx
    let zero = division(&[0xf7, 0xf9], |_| ());
    assert_eq!(zero, ("ecx".to_owned(), Some(0), 32));
    let overflow = division(&[0xf7, 0xf9], |registers| {
        registers.rcx = Address(0xffff_ffff);
    });
    assert_eq!(overflow.1, Some(-1));
    // div qword ptr [rax]
    let memory = division(&[0x48, 0xf7, 0x30], |registers| {
        registers.rax = Address(HEAP);
    });
    assert_eq!(memory, ("memory".to_owned(), Some(7), 64));
    let unreadable = division(&[0x48, 0xf7, 0x30], |_| ());
    assert_eq!(unreadable.1, None);
}

#[test]
fn a_floating_point_fault_is_no_division() {
    // divsd xmm0,xmm1
    let world = World::new(&[0xf2, 0x0f, 0x5e, 0xc1]).raised(Signal::FPE, "FPE_FLTDIV", Some(CODE));
    assert_eq!(world.site().division, None);
}

fn illegal(code: &[u8], processor: Option<&[&str]>) -> crashlens_core::Instruction {
    let flags = processor.map(|flags| flags.iter().map(|flag| (*flag).to_owned()).collect());
    let world = World::new(code)
        .raised(Signal::ILL, "ILL_ILLOPN", Some(CODE))
        .witnessed(|witnessed| witnessed.processor = flags);
    world.site().instruction.expect("an instruction")
}

#[test]
fn an_instruction_the_processor_lacks_names_the_feature() {
    // vaddps zmm0,zmm1,zmm2
    let code = [0x62, 0xf1, 0x74, 0x48, 0x58, 0xc2];
    let instruction = illegal(&code, Some(&["sse2", "avx", "avx2"]));
    assert_eq!(instruction.needs, ["avx512f"]);
    assert_eq!(instruction.missing, Some(vec!["avx512f".to_owned()]));
    assert_eq!(illegal(&code, Some(&["avx512f"])).missing, Some(Vec::new()));
    assert_eq!(illegal(&code, None).missing, None);
}

#[test]
fn a_trap_the_compiler_put_there_needs_no_feature() {
    let instruction = illegal(&[0x0f, 0x0b], Some(&["sse2"]));
    assert_eq!(
        (instruction.text.as_str(), instruction.needs.len()),
        ("ud2", 0)
    );
}

#[test]
fn a_breakpoint_is_the_byte_before() {
    let world = at(&[0xcc], |registers| registers.rip = Address(CODE + 1)).raised(
        Signal::TRAP,
        "SI_KERNEL",
        None,
    );
    assert_eq!(world.site().instruction.unwrap().text, "int3");
}

#[test]
fn a_signal_that_was_sent_has_no_instruction_at_fault() {
    for (signal, code) in [
        (Signal::SEGV, "SI_USER"),
        (Signal::ABRT, "SI_TKILL"),
        (Signal::SYS, "SYS_SECCOMP"),
        (Signal(24), "SI_KERNEL"),
    ] {
        let world = World::new(&[0x90]).raised(signal, code, None);
        assert_eq!(world.examine(), Ok(None), "{code}");
    }
}

#[test]
fn a_signal_without_a_code_is_a_fault_if_the_access_cannot_have_worked() {
    let mut world = World::new(&[0x48, 0x8b, 0x07]);
    world.signal().code = None;
    assert_eq!(world.place(), Place::NullPage { offset: 0 });
    let mut harmless = World::new(&[0x48, 0x8b, 0x04, 0x24]);
    harmless.signal().code = None;
    assert!(harmless.examine().is_err());
}
