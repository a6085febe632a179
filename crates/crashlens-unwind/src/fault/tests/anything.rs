//! No registers, bytes and mappings are too strange.

use proptest::prelude::*;

use super::*;
use crate::{EarlierMapping, MappedFile};

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        0..0x2_0000_u64,
        CODE - 32..CODE + 0x2000,
        STACK - 0x2000..STACK + 0x2000,
        Just(u64::MAX),
        u64::MAX - 64..u64::MAX,
        Just(1 << 47),
    ]
}

fn any_mapping() -> impl Strategy<Value = Mapping> {
    let permissions = prop_oneof![
        Just("rw-p"),
        Just("r--p"),
        Just("---p"),
        Just("r-xp"),
        Just("")
    ];
    let path = prop_oneof![Just(""), Just("[stack]"), Just("/data/file")];
    (number(), number(), permissions, path, number()).prop_map(
        |(start, end, permissions, path, offset)| Mapping {
            end: Address(end),
            offset,
            ..mapping(start, 0, permissions, path)
        },
    )
}

fn registers() -> impl Strategy<Value = Registers> {
    prop::array::uniform18(number()).prop_map(|values| {
        let [
            rip,
            rsp,
            rbp,
            rax,
            rbx,
            rcx,
            rdx,
            rsi,
            rdi,
            r8,
            r9,
            r10,
            r11,
            r12,
            r13,
            r14,
            r15,
            fs,
        ] = values.map(Address);
        Registers {
            rip: if rip.0 % 4 == 0 { rip } else { Address(CODE) },
            fs_base: fs,
            eflags: Address(0),
            gs_base: fs,
            rsp,
            rbp,
            rax,
            rbx,
            rcx,
            rdx,
            rsi,
            rdi,
            r8,
            r9,
            r10,
            r11,
            r12,
            r13,
            r14,
            r15,
        }
    })
}

proptest! {
    #[test]
    fn a_fault_is_told_or_not_but_never_panics(
        code in prop::collection::vec(any::<u8>(), 0..16),
        registers in registers(),
        maps in prop::collection::vec(any_mapping(), 0..6),
        signal in prop_oneof![Just(11), Just(7), Just(8), Just(4), Just(5), any::<i32>()],
        name in prop_oneof![Just("SEGV_MAPERR"), Just("SEGV_ACCERR"), Just("SI_KERNEL"), Just("SI_TKILL")],
        address in prop::option::of(number()),
        pointers in prop::collection::vec(number(), 0..5),
        file in prop::option::of((number(), prop::option::of((number(), number())))),
        earlier in prop::option::of((any_mapping(), number())),
    ) {
        let mut world = World::new(&code)
            .raised(Signal(signal), name, address)
            .walked(&pointers, StackEnd::DepthLimit)
            .witnessed(|witnessed| {
                witnessed.file = file.map(|(size, space)| MappedFile { size, space, in_memory: None });
                witnessed.earlier = earlier.map(|(mapping, last_seen_milliseconds)| EarlierMapping {
                    mapping,
                    last_seen_milliseconds,
                });
            });
        world.signal().registers = Some(registers);
        world.snapshot.maps.extend(maps);
        let _ = (world.examine(), world.ask(crate::fault::first_chance));
        world.snapshot.maps.sort_by_key(|mapping| mapping.start);
        let _ = world.examine();
    }
}
