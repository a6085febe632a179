//! The memory of a stopped process, read a page at a time and each page once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

use crashlens_unwind::{ReadMemory, Unreadable};
use nix::errno::Errno;

use crate::calls;

const PAGE: u64 = 4096;
/// 256 MiB: more than any walk needs, and an end to a walk that is led astray.
const MAX_PAGES: usize = 65_536;

type Page = Option<Box<[u8]>>;

/// The memory of a process that stands still while it is read.
#[derive(Debug)]
pub(crate) struct LiveMemory {
    process: u32,
    pages: RefCell<HashMap<u64, Page>>,
    /// `/proc/PID/mem`, for kernels and sandboxes that refuse `process_vm_readv`; opened when first needed.
    file: RefCell<Option<File>>,
}

impl LiveMemory {
    pub(crate) fn of(process: u32) -> Self {
        Self {
            process,
            pages: RefCell::default(),
            file: RefCell::default(),
        }
    }

    fn fetch(&self, page: u64) -> Page {
        let mut bytes = vec![0; PAGE as usize];
        match calls::read_memory(self.process, page, &mut bytes) {
            Ok(read) if read == bytes.len() => Some(bytes.into_boxed_slice()),
            // The kernel's last word on a page that is not there. `/proc/PID/mem` would overrule the page's
            // protection and show a guard page as readable zeros.
            Ok(_) | Err(Errno::EFAULT) => None,
            Err(_) => self.fetch_from_file(page, bytes),
        }
    }

    fn fetch_from_file(&self, page: u64, mut bytes: Vec<u8>) -> Page {
        let mut file = self.file.borrow_mut();
        if file.is_none() {
            *file = calls::open(format!("/proc/{}/mem", self.process)).ok();
        }
        file.as_ref()?.read_exact_at(&mut bytes, page).ok()?;
        Some(bytes.into_boxed_slice())
    }

    /// Copies from one page; `false` when it cannot be read.
    fn copy(&self, address: u64, into: &mut [u8]) -> bool {
        let page = address & !(PAGE - 1);
        let offset = (address - page) as usize;
        let mut pages = self.pages.borrow_mut();
        if !pages.contains_key(&page) {
            if pages.len() >= MAX_PAGES {
                return false;
            }
            pages.insert(page, self.fetch(page));
        }
        let source = pages
            .get(&page)
            .and_then(Option::as_ref)
            .and_then(|bytes| bytes.get(offset..offset + into.len()));
        source.map(|source| into.copy_from_slice(source)).is_some()
    }
}

impl ReadMemory for LiveMemory {
    fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Unreadable> {
        let mut address = address;
        let mut rest = buffer;
        while !rest.is_empty() {
            let in_page = ((PAGE - address % PAGE) as usize).min(rest.len());
            let (now, later) = rest.split_at_mut(in_page);
            if !self.copy(address, now) {
                return Err(Unreadable { address });
            }
            rest = later;
            address = match address.checked_add(in_page as u64) {
                Some(next) => next,
                None if rest.is_empty() => break,
                None => return Err(Unreadable { address }),
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::injection::{Call, fail_from};

    fn own() -> LiveMemory {
        LiveMemory::of(std::process::id())
    }

    #[test]
    fn bytes_across_pages_are_read() {
        let bytes: Vec<u8> = (0..20_000_u32).map(|n| n as u8).collect();
        let mut read = vec![0; bytes.len()];
        own().read(bytes.as_ptr() as u64, &mut read).unwrap();
        assert_eq!(read, bytes);
    }

    #[test]
    fn a_read_that_runs_out_of_memory_names_the_first_bad_address() {
        let text = std::fs::read("/proc/self/maps").unwrap();
        let (maps, _) = crate::procfs::parse_maps(&text);
        let before_a_hole = maps.windows(2).find(|pair| {
            let [map, next] = pair else { return false };
            map.is_readable() && map.inode != 0 && map.end < next.start
        });
        let end = before_a_hole.unwrap()[0].end.0;
        let mut buffer = [0; 64];
        assert_eq!(
            own().read(end - 16, &mut buffer),
            Err(Unreadable { address: end })
        );
        own().read(end - 64, &mut buffer).unwrap();
    }

    #[test]
    fn hopeless_addresses_are_refused() {
        let memory = own();
        assert_eq!(memory.read(0, &mut [0; 8]), Err(Unreadable { address: 0 }));
        assert_eq!(
            memory.read(u64::MAX - 2, &mut [0; 8]),
            Err(Unreadable {
                address: u64::MAX - 2
            })
        );
        assert_eq!(memory.read(u64::MAX, &mut []), Ok(()));
    }

    #[test]
    fn where_the_quick_call_is_refused_the_file_is_read() {
        fail_from(Call::ReadMemory, 1, Errno::ENOSYS);
        let bytes = [7_u8; 32];
        let mut read = [0; 32];
        own().read(bytes.as_ptr() as u64, &mut read).unwrap();
        assert_eq!(read, bytes);
    }
}
