//! Where to look for kernels: in registers, on stacks, and in what these point to.

use std::collections::{BTreeMap, HashMap, HashSet};

use crashlens_core::{Mapping, Registers, StackEnd, secrets};

use super::classes::{Classes, Lineage};
use super::kernel::{self, Kernel, words};
use super::{KernelRecord, Kernels, Sighting, Way};
use crate::ThreadState;
use crate::arch;
use crate::cfi::Rows;
use crate::native::{RawFrame, RawStack};
use crate::testimony::{Answer, Scene};

/// The base of all kernels and that of all devices, mangled.
const KERNEL: &str = "N10tensorflow8OpKernelE";
const DEVICE: &str = "N10tensorflow10DeviceBaseE";

/// A register that holds a kernel is saved by whichever callee needs it: this many frames further in at most.
const CALLEES: usize = 16;
/// Of a frame with large buffers the two ends are read, where pointers are kept.
const MAX_END: u64 = 8 << 10;
/// Of all frames of one thread.
const MAX_STACK: u64 = 256 << 10;
/// Of all threads but the crashed one.
const MAX_OTHER_STACKS: u64 = 512 << 10;
/// Pointers that are followed in search of closures.
const MAX_FOLLOWED: usize = 600;
/// Words at the beginning of a closure or of what it refers to.
const CLOSURE_WORDS: usize = 8;
/// A graph that runs on all threads has some dozens.
const MAX_SIGHTINGS: usize = 128;
/// Virtual functions of a kernel, with those a base class adds.
const VIRTUAL_FUNCTIONS: usize = 16;
/// The largest function of TensorFlow 2.15 has less.
const LARGEST_FUNCTION: u64 = 1 << 20;

pub(super) struct Search<'scene> {
    scene: &'scene Scene<'scene>,
    classes: Classes<'scene>,
    /// What is at an address: the number of a kernel, or none.
    seen: HashMap<u64, Option<usize>>,
    tables: Vec<u64>,
    found: Kernels,
    rows: Rows,
    /// Parts of stacks that were read, and that could not be.
    read: usize,
    unreadable: usize,
}

impl<'scene> Search<'scene> {
    pub(super) fn new(scene: &'scene Scene<'scene>) -> Self {
        Self {
            scene,
            classes: Classes::new(scene.confidential, scene.images),
            seen: HashMap::new(),
            tables: Vec::new(),
            found: Kernels::default(),
            rows: Rows::default(),
            read: 0,
            unreadable: 0,
        }
    }

    /// The crashed thread; the others only where it does not tell by itself.
    pub(super) fn run(mut self) -> Answer<Kernels> {
        let threads = self.scene.snapshot.threads.iter().zip(self.scene.stacks);
        let mut room = MAX_OTHER_STACKS;
        for (thread, stack) in threads {
            if Some(thread.id) == self.scene.snapshot.crashed_thread {
                if self.look_at_crashed(thread, stack) {
                    break;
                }
            } else {
                self.look_at_stack(thread.id, stack, &mut room, &mut Vec::new());
                self.find_methods(thread.id, stack);
            }
        }
        if self.read == 0 && self.unreadable > 0 {
            return Err("the stacks of TensorFlow's threads could not be read".to_owned());
        }
        Ok((!self.found.records.is_empty()).then_some(self.found))
    }

    /// Whether a kernel was found one of whose functions runs there.
    fn look_at_crashed(&mut self, thread: &ThreadState, stack: &RawStack) -> bool {
        let mut pointers = Vec::new();
        if let Some(registers) = &thread.registers {
            self.look_at_registers(thread.id, registers, &mut pointers);
        }
        let mut room = MAX_STACK;
        self.look_at_stack(thread.id, stack, &mut room, &mut pointers);
        self.find_methods(thread.id, stack);
        let runs = |record: &KernelRecord| !record.methods.is_empty();
        if self.found.records.iter().any(runs) {
            return true;
        }
        self.follow(thread.id, &pointers);
        false
    }

    fn look_at_registers(
        &mut self,
        thread: u32,
        registers: &Registers,
        pointers: &mut Vec<(u32, u64)>,
    ) {
        for value in arch::longest_kept_first(registers) {
            self.look_at_word(thread, 0, value, None, pointers);
        }
    }

    fn look_at_stack(
        &mut self,
        thread: u32,
        stack: &RawStack,
        room: &mut u64,
        pointers: &mut Vec<(u32, u64)>,
    ) {
        let is_cut = matches!(stack.end, StackEnd::TimeLimit | StackEnd::DepthLimit);
        self.found.incomplete |= is_cut;
        let frames = &stack.frames;
        let mut distance = usize::MAX;
        let mut near = vec![false; frames.len()];
        for (index, frame) in frames.iter().enumerate().rev() {
            distance = if self.is_tensorflow(frame) {
                0
            } else {
                distance.saturating_add(1)
            };
            near[index] = distance <= CALLEES;
        }
        for (index, pair) in frames.windows(2).enumerate() {
            let [frame, caller] = pair else { continue };
            if near.get(index) != Some(&true) {
                continue;
            }
            for (start, length) in ends(frame.stack, caller.stack) {
                if *room < length {
                    self.found.incomplete = true;
                    return;
                }
                *room -= length;
                self.look_at_area(thread, index as u32, start, length, pointers);
            }
        }
    }

    fn look_at_area(
        &mut self,
        thread: u32,
        frame: u32,
        start: u64,
        length: u64,
        pointers: &mut Vec<(u32, u64)>,
    ) {
        let Ok(bytes) = self.scene.confidential.bytes(start, length as usize) else {
            self.unreadable += 1;
            self.found.incomplete = true;
            return;
        };
        self.read += 1;
        let words: Vec<u64> = bytes
            .chunks_exact(8)
            .filter_map(|bytes| bytes.try_into().ok().map(u64::from_le_bytes))
            .collect();
        for (index, word) in words.iter().enumerate() {
            let next = words.get(index + 1).copied();
            self.look_at_word(thread, frame, *word, next, pointers);
        }
    }

    /// `next` is the word after it on the stack.
    fn look_at_word(
        &mut self,
        thread: u32,
        frame: u32,
        word: u64,
        next: Option<u64>,
        pointers: &mut Vec<(u32, u64)>,
    ) {
        if let Some(kernel) = self.kernel_at(word) {
            // Parameters of a kernel's run name the kernel and, next to it, the device.
            let way = if next.is_some_and(|next| self.is_device(next)) {
                Way::Parameters
            } else {
                Way::Word
            };
            self.note(Sighting {
                thread,
                frame,
                way,
                kernel,
            });
        } else if self.seen.contains_key(&word) {
            pointers.push((frame, word));
        }
    }

    /// Closures on the heap hold the kernel they belong to, or something that does.
    fn follow(&mut self, thread: u32, pointers: &[(u32, u64)]) {
        let mut followed = HashSet::new();
        let mut next: Vec<(u32, u64)> = pointers.to_vec();
        for _ in 0..2 {
            let mut further = Vec::new();
            for (frame, pointer) in next {
                if followed.len() >= MAX_FOLLOWED || !followed.insert(pointer) {
                    continue;
                }
                let Some(words) = words::<CLOSURE_WORDS>(self.scene.confidential, pointer) else {
                    continue;
                };
                for word in words {
                    if let Some(kernel) = self.kernel_at(word) {
                        self.note(Sighting {
                            thread,
                            frame,
                            way: Way::Reached,
                            kernel,
                        });
                    } else if self.seen.contains_key(&word) {
                        further.push((frame, word));
                    }
                }
            }
            next = further;
        }
    }

    fn note(&mut self, sighting: Sighting) {
        let known = self.found.sightings.iter().any(|known| {
            (known.thread, known.kernel) == (sighting.thread, sighting.kernel)
                && (known.way == sighting.way || sighting.way == Way::Reached)
        });
        if known {
            return;
        }
        if self.found.sightings.len() < MAX_SIGHTINGS {
            self.found.sightings.push(sighting);
        } else {
            self.found.incomplete = true;
        }
    }

    /// The kernel at `address`, by its number.
    fn kernel_at(&mut self, address: u64) -> Option<usize> {
        if let Some(known) = self.seen.get(&address) {
            return *known;
        }
        if !self.may_hold_objects(address) {
            return None;
        }
        let found = self.read_kernel(address);
        self.seen.insert(address, found);
        found
    }

    fn read_kernel(&mut self, address: u64) -> Option<usize> {
        let Ok(table) = self.scene.confidential.u64(address) else {
            self.found.incomplete = true;
            return None;
        };
        let lineage = self.classes.of(table)?;
        if !has(&lineage, KERNEL) {
            return None;
        }
        let Some(kernel) = kernel::read(self.scene.confidential, address) else {
            self.found.incomplete = true;
            return None;
        };
        self.tables.push(table);
        self.found.records.push(record(kernel, &lineage));
        Some(self.found.records.len() - 1)
    }

    fn is_device(&self, address: u64) -> bool {
        let table = |address| self.scene.confidential.u64(address).ok();
        self.may_hold_objects(address)
            && table(address)
                .and_then(|table| self.classes.of(table))
                .is_some_and(|lineage| has(&lineage, DEVICE))
    }

    /// Objects live in writable memory that belongs to no file.
    fn may_hold_objects(&self, address: u64) -> bool {
        address.is_multiple_of(8)
            && self
                .scene
                .snapshot
                .mapping_at(address)
                .is_some_and(is_for_objects)
    }

    fn is_tensorflow(&self, frame: &RawFrame) -> bool {
        self.scene
            .images
            .at(frame.lookup)
            .is_some_and(|image| is_tensorflow(&image.module.name))
    }

    /// Which frames of the thread run virtual functions of kernels that were seen there. Needs no names of functions.
    fn find_methods(&mut self, thread: u32, stack: &RawStack) {
        let here: BTreeMap<usize, u64> = self
            .found
            .sightings
            .iter()
            .filter(|sighting| sighting.thread == thread)
            .filter_map(|sighting| Some((sighting.kernel, *self.tables.get(sighting.kernel)?)))
            .collect();
        for (kernel, table) in here {
            let Some(functions) = words::<VIRTUAL_FUNCTIONS>(self.scene.confidential, table) else {
                self.found.incomplete = true;
                continue;
            };
            for (index, frame) in stack.frames.iter().enumerate() {
                let is_near = |function: &&u64| {
                    frame
                        .lookup
                        .checked_sub(**function)
                        .is_some_and(|offset| offset < LARGEST_FUNCTION)
                };
                let Some(function) = functions.iter().filter(is_near).max().copied() else {
                    continue;
                };
                if self.function_start(frame.lookup) == Some(function) {
                    self.found.records[kernel]
                        .methods
                        .push((thread, index as u32));
                }
            }
        }
    }

    /// Where the function around `address` begins, by the unwind tables.
    fn function_start(&mut self, address: u64) -> Option<u64> {
        let image = self.scene.images.at(address)?;
        self.rows
            .find(self.scene.memory, image, address)
            .map(|row| row.function)
    }
}

fn record(kernel: Kernel, lineage: &Lineage) -> KernelRecord {
    KernelRecord {
        op: kernel.op,
        node: secrets::mask_line(&kernel.node).into_owned(),
        classes: lineage.iter().map(|name| super::spelled(name)).collect(),
        methods: Vec::new(),
    }
}

fn has(lineage: &Lineage, class: &str) -> bool {
    lineage.iter().any(|name| name == class)
}

/// `libtensorflow_cc.so.2`, `libtensorflow_framework.so.2`, `_pywrap_tensorflow_internal.so`.
pub(super) fn is_tensorflow(name: &str) -> bool {
    name.starts_with("libtensorflow") || name.starts_with("_pywrap_tensorflow")
}

fn is_for_objects(mapping: &Mapping) -> bool {
    mapping.permissions.starts_with("rw")
        && mapping
            .path
            .as_deref()
            .is_none_or(|path| path == "[heap]" || path.starts_with("[anon"))
}

/// The part of the stack between two frames, or its two ends where it is large.
fn ends(from: u64, to: u64) -> Vec<(u64, u64)> {
    let from = from.saturating_add(7) & !7;
    let length = to.saturating_sub(from) & !7;
    if length <= 2 * MAX_END {
        vec![(from, length)]
    } else {
        vec![(from, MAX_END), ((to & !7) - MAX_END, MAX_END)]
    }
}
