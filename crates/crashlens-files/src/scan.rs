//! Examines many files on several cores; what comes out is in the order of the files.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};

use crashlens_core::files::{FileFacts, Flaw};

use crate::finder::Subject;

/// Files that are found ahead of being read.
const AHEAD: usize = 1024;

/// Hands what is found on to the readers; `false` when nobody wants more.
pub(crate) type Found<'a> = dyn FnMut(Subject) -> bool + 'a;

/// Examines everything that `find` hands on, with up to `jobs` threads, and passes the facts to `take` in that order.
///
/// `take` says whether to go on. It runs on the thread of the caller, and so does all the work where no thread is to be
/// had.
pub(crate) fn scan<T: Send>(
    jobs: NonZero<usize>,
    find: impl FnOnce(&mut Found<'_>) + Send,
    examine: impl Fn(&Subject) -> T + Sync,
    take: impl FnMut(T) -> bool,
) {
    scan_on(&Stacks::default(), jobs, find, examine, take);
}

/// Bytes for the stacks of the threads.
struct Stacks {
    finder: usize,
    reader: usize,
}

impl Default for Stacks {
    fn default() -> Self {
        let usual = 2 << 20;
        Self {
            finder: usual,
            reader: usual,
        }
    }
}

fn scan_on<T: Send>(
    stacks: &Stacks,
    jobs: NonZero<usize>,
    find: impl FnOnce(&mut Found<'_>) + Send,
    examine: impl Fn(&Subject) -> T + Sync,
    mut take: impl FnMut(T) -> bool,
) {
    let (subjects, queue) = sync_channel(AHEAD);
    let (done, results) = sync_channel(AHEAD);
    let queue = Mutex::new(queue);
    let is_over = AtomicBool::new(false);
    // A thread that does not start takes what was moved into it along; here it is left for the caller.
    let finding = Mutex::new(Some((find, subjects)));
    thread::scope(|scope| {
        let is_finding = starts(scope, stacks.finder, || {
            if let Some((find, subjects)) = taken(&finding) {
                feed(find, &subjects, &is_over);
            }
        });
        if !is_finding {
            if let Some((find, _)) = taken(&finding) {
                find(&mut |subject| take(examine(&subject)));
            }
            return;
        }
        let mut readers = 0;
        for _ in 0..jobs.get() {
            let done = done.clone();
            let (queue, examine) = (&queue, &examine);
            if !starts(scope, stacks.reader, move || work(queue, examine, &done)) {
                break;
            }
            readers += 1;
        }
        drop(done);
        if readers == 0 {
            while let Some((_, subject)) = next(&queue) {
                if !is_over.load(Ordering::Relaxed) && !take(examine(&subject)) {
                    is_over.store(true, Ordering::Relaxed);
                }
            }
        }
        in_order(results, &mut take);
        is_over.store(true, Ordering::Relaxed);
    });
}

/// Keeps the words of decoders that panic from the terminal: each is a finding against us, and help no user who scans a
/// million files. For the whole process; other threads are heard as before.
pub fn silence_decoders() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // Readers have no name.
        if thread::current().name().is_some() {
            usual(panic);
        }
    }));
}

/// Whether a thread could be had for the work: limits on threads and on memory refuse them.
fn starts<'scope>(
    scope: &'scope Scope<'scope, '_>,
    stack: usize,
    work: impl FnOnce() + Send + 'scope,
) -> bool {
    let thread = thread::Builder::new().stack_size(stack);
    thread.spawn_scoped(scope, work).is_ok()
}

fn taken<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn feed(
    find: impl FnOnce(&mut Found<'_>),
    subjects: &SyncSender<(u64, Subject)>,
    is_over: &AtomicBool,
) {
    let mut index = 0;
    find(&mut |subject| {
        let sent = subjects.send((index, subject)).is_ok();
        index += 1;
        sent && !is_over.load(Ordering::Relaxed)
    });
}

fn work<T>(
    queue: &Mutex<Receiver<(u64, Subject)>>,
    examine: &impl Fn(&Subject) -> T,
    results: &SyncSender<(u64, T)>,
) {
    while let Some((index, subject)) = next(queue) {
        if results.send((index, examine(&subject))).is_err() {
            break;
        }
    }
    // What is still found is thrown away, or its finder would wait for ever.
    while next(queue).is_some() {}
}

fn next(queue: &Mutex<Receiver<(u64, Subject)>>) -> Option<(u64, Subject)> {
    queue.lock().ok()?.recv().ok()
}

/// The facts of a subject that cannot be examined.
pub(crate) fn in_trouble(subject: &Subject, trouble: &Flaw) -> FileFacts {
    FileFacts {
        path: subject.path.clone(),
        flaws: vec![trouble.clone()],
        ..FileFacts::default()
    }
}

fn in_order<T>(results: Receiver<(u64, T)>, take: &mut impl FnMut(T) -> bool) {
    let mut due = 0;
    let mut early = BTreeMap::new();
    for (index, result) in results {
        early.insert(index, result);
        while let Some(result) = early.remove(&due) {
            due += 1;
            if !take(result) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(number: usize) -> Subject {
        Subject {
            path: number.to_string(),
            size: 0,
            trouble: None,
        }
    }

    fn facts(subject: &Subject) -> FileFacts {
        FileFacts {
            path: subject.path.clone(),
            ..FileFacts::default()
        }
    }

    #[test]
    fn results_come_in_the_order_of_the_files() {
        let mut seen = Vec::new();
        let jobs = NonZero::new(4).unwrap();
        let find = |found: &mut Found<'_>| {
            for number in 0..5000 {
                assert!(found(subject(number)));
            }
        };
        scan(jobs, find, facts, |facts| {
            seen.push(facts.path.parse::<usize>().unwrap());
            true
        });
        assert_eq!(seen, (0..5000).collect::<Vec<_>>());
    }

    #[test]
    fn a_scan_that_gets_no_threads_does_the_work_itself() {
        const NEVER_TO_BE_HAD: usize = 1 << 60;
        let usual = Stacks::default();
        for (finder, reader) in [
            (NEVER_TO_BE_HAD, usual.reader),
            (usual.finder, NEVER_TO_BE_HAD),
        ] {
            for most in [10, 5000] {
                let mut seen = Vec::new();
                let find = |found: &mut Found<'_>| {
                    let _ = (0..5000).all(|number| found(subject(number)));
                };
                let jobs = NonZero::new(3).unwrap();
                scan_on(&Stacks { finder, reader }, jobs, find, facts, |facts| {
                    seen.push(facts.path.parse::<usize>().unwrap());
                    seen.len() < most
                });
                assert_eq!(seen, (0..most).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_scan_that_is_ended_early_ends() {
        let mut count = 0;
        let jobs = NonZero::new(2).unwrap();
        let find = |found: &mut Found<'_>| {
            for number in 0..100_000 {
                if !found(subject(number)) {
                    break;
                }
            }
        };
        scan(jobs, find, facts, |_| {
            count += 1;
            count < 10
        });
        assert_eq!(count, 10);
    }
}
