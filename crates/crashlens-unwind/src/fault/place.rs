//! What is at an address that could not be accessed.

use crashlens_core::{AccessKind, Mapping, Place, Signal};

use super::FaultInProcess;
use super::access::Attempt;
use crate::arch::{self, KERNEL_HALF, is_canonical};

/// `vm.mmap_min_addr` as kernels are shipped: below it nothing can be mapped, so that nothing there was a pointer.
const LOWEST_MAPPABLE: u64 = 64 << 10;
const PAGE: u64 = 4096;
/// A loop that runs out of its memory faults within its first vector behind the end.
const FIRST_BYTES: u64 = 64;
/// Strided accesses run out of their memory by as much as a stride. That is told from a bad pointer only where
/// nothing else is mapped for so long that nothing else can have been meant.
const LONGEST_STRIDE: u64 = 1 << 20;
const SOLITUDE: u64 = 1 << 30;
/// The function at fault and its caller keep there what they work on.
const STACK_WORDS: u64 = 64;

/// Whether it says why the access failed.
pub(super) fn explains(place: Option<&Place>) -> bool {
    !matches!(place, None | Some(Place::Mapped { .. }))
}

/// What is at the address.
pub(super) fn classify(
    fault: &FaultInProcess<'_>,
    address: u64,
    attempt: Option<&Attempt>,
) -> Place {
    let around = Around::of(fault, address, attempt);
    if let Some(mapping) = around.mapping {
        return around.in_mapping(mapping);
    }
    if address < LOWEST_MAPPABLE {
        return Place::NullPage { offset: address };
    }
    if !is_canonical(address) {
        return Place::NonCanonical;
    }
    if address >= KERNEL_HALF {
        return Place::KernelSpace;
    }
    around.in_no_mapping()
}

/// An address among the mappings.
struct Around<'a> {
    fault: &'a FaultInProcess<'a>,
    attempt: Option<&'a Attempt>,
    address: u64,
    /// `None` when the instruction could not be read.
    kind: Option<AccessKind>,
    mapping: Option<&'a Mapping>,
    below: Option<&'a Mapping>,
    above: Option<&'a Mapping>,
}

impl<'a> Around<'a> {
    fn of(fault: &'a FaultInProcess<'a>, address: u64, attempt: Option<&'a Attempt>) -> Self {
        let maps = &fault.scene.snapshot.maps;
        let next = maps.partition_point(|mapping| mapping.start.0 <= address);
        let last = next.checked_sub(1);
        let mapping = last
            .and_then(|last| maps.get(last))
            .filter(|mapping| mapping.contains(address));
        let before = if mapping.is_some() {
            last.and_then(|last| last.checked_sub(1))
        } else {
            last
        };
        Self {
            fault,
            attempt,
            address,
            kind: attempt.map(|attempt| attempt.kind),
            mapping,
            below: before.and_then(|before| maps.get(before)),
            above: maps.get(next),
        }
    }

    fn in_mapping(&self, mapping: &Mapping) -> Place {
        let owned = || mapping.clone();
        let accessible = mapping.is_readable() || mapping.is_writable() || mapping.is_executable();
        match self.kind {
            Some(AccessKind::Execute) if !mapping.is_executable() => {
                return Place::NotExecutable { mapping: owned() };
            }
            _ if !accessible => {
                let overrun = self.overrun(PAGE);
                return overrun.unwrap_or_else(|| Place::NoAccess { mapping: owned() });
            }
            Some(AccessKind::Write) | None if !mapping.is_writable() && self.is_denied() => {
                let overrun = self
                    .overrun(FIRST_BYTES)
                    .filter(|_| self.came_from_below(mapping));
                return overrun.unwrap_or_else(|| Place::ReadOnly { mapping: owned() });
            }
            Some(AccessKind::Read) if !mapping.is_readable() => {
                return Place::NoAccess { mapping: owned() };
            }
            _ => {}
        }
        if let Some(place) = self.in_file(mapping) {
            return place;
        }
        match self.attempt {
            Some(attempt) if attempt.misaligned => Place::Misaligned {
                mapping: owned(),
                alignment: attempt.width.unwrap_or_default(),
            },
            _ => Place::Mapped { mapping: owned() },
        }
    }

    /// Whether the kernel spoke of permissions. If it said nothing, the mapping alone decides.
    fn is_denied(&self) -> bool {
        matches!(
            self.fault.signal.code.as_deref(),
            None | Some("SEGV_ACCERR")
        )
    }

    /// Why a page of a mapped file could not be had.
    fn in_file(&self, mapping: &Mapping) -> Option<Place> {
        if self.fault.signal.signal != Signal::BUS {
            return None;
        }
        let file = self.fault.signal.witnessed.file?;
        let within = self.address.checked_sub(mapping.start.0)?;
        let file_offset = mapping.offset.checked_add(within)?;
        // The last page of a file can be accessed to its end, which is behind the file's.
        if file_offset & !(PAGE - 1) >= file.size {
            return Some(Place::BeyondFile {
                mapping: mapping.clone(),
                file_size: file.size,
                file_offset,
            });
        }
        let (free_bytes, total_bytes) = file.space?;
        (free_bytes < PAGE && total_bytes > 0).then(|| Place::NoSpace {
            mapping: mapping.clone(),
            free_bytes,
            total_bytes,
            in_memory: file.in_memory,
        })
    }

    fn in_no_mapping(&self) -> Place {
        let earlier = self.fault.signal.witnessed.earlier.as_ref();
        let earlier = earlier.filter(|earlier| earlier.mapping.contains(self.address));
        let alone = self.gap().is_none_or(|gap| gap >= SOLITUDE);
        let limit = match earlier {
            // Memory that shrank: a loop that runs out of what is left was not going for the rest.
            Some(earlier) if Some(earlier.mapping.start) == self.below.map(|below| below.start) => {
                FIRST_BYTES
            }
            Some(_) => 0,
            None if alone => LONGEST_STRIDE,
            None => PAGE,
        };
        // What was released leaves holes right behind other memory: among other mappings, where an access is says
        // little about where it came from.
        let overrun = self.overrun(limit).filter(|place| {
            earlier.is_none() && alone
                || matches!(
                    place,
                    Place::PastEnd {
                        pointed_into: true,
                        ..
                    }
                )
        });
        match (overrun, earlier) {
            (Some(overrun), _) => overrun,
            (None, Some(earlier)) => Place::Released {
                mapping: earlier.mapping.clone(),
                last_seen_milliseconds: earlier.last_seen_milliseconds,
            },
            (None, None) => Place::Unmapped {
                below: self.below.cloned(),
                above: self.above.cloned(),
            },
        }
    }

    /// Bytes between the mappings around the address; `None` without one above.
    fn gap(&self) -> Option<u64> {
        let below = self.below.map_or(0, |below| below.end.0);
        self.above?.start.0.checked_sub(below)
    }

    /// The address is less than `limit` bytes behind memory where the access would have been allowed.
    fn overrun(&self, limit: u64) -> Option<Place> {
        let below = self.below?;
        let allowed = match self.kind? {
            AccessKind::Read => below.is_readable(),
            AccessKind::Write => below.is_writable(),
            AccessKind::Execute => false,
        };
        let start = self.mapping.map_or(self.address, |mapping| mapping.start.0);
        let adjacent = self.mapping.is_none() || below.end.0 == start;
        let distance = self.address.checked_sub(below.end.0)?;
        (allowed && adjacent && distance < limit).then(|| Place::PastEnd {
            mapping: below.clone(),
            distance,
            pointed_into: self.points_into(below),
        })
    }

    /// Whether the thread was working on the memory below, and not on `mapping`, which may only be read.
    fn came_from_below(&self, mapping: &Mapping) -> bool {
        // Nobody means to write the header of a loaded library.
        let images = self.fault.scene.images;
        let is_header = images
            .at(self.address)
            .is_some_and(|image| image.module.start == mapping.start);
        let Some(below) = self.below else {
            return false;
        };
        let base = self.attempt.and_then(|attempt| attempt.base);
        let base = base.and_then(|base| arch::value(self.fault.registers, base));
        let anonymous = mapping.inode == 0;
        is_header
            || base.is_some_and(|base| below.contains(base))
            || anonymous && self.points_into(below)
    }

    /// Whether the thread was working with a pointer into `mapping`.
    fn points_into(&self, mapping: &Mapping) -> bool {
        let registers = self.fault.registers;
        let scene = self.fault.scene;
        let values = arch::general(registers);
        values.iter().any(|value| mapping.contains(*value))
            || (0..STACK_WORDS).any(|index| {
                let place = registers.sp().0.wrapping_add(index * 8);
                let is_pointer =
                    |word: Result<u64, _>| word.is_ok_and(|word| mapping.contains(word));
                // Looked at first: words of the stack that are something else stay where they are.
                is_pointer(scene.confidential.u64(place)) && is_pointer(scene.memory.u64(place))
            })
    }
}
