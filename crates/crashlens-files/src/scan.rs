//! Examines many files on several cores; what comes out is in the order of the files.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crashlens_core::files::{FileFacts, Flaw, FlawKind};

use crate::finder::Subject;

/// Files that are found ahead of being read.
const AHEAD: usize = 1024;

/// Hands what is found on to the readers; `false` when nobody wants more.
pub type Found<'a> = dyn FnMut(Subject) -> bool + 'a;

/// Examines everything that `find` hands on, with `jobs` threads, and passes the facts to `take` in that order.
///
/// `take` says whether to go on. It runs on the thread of the caller.
pub fn scan(
    jobs: NonZero<usize>,
    find: impl FnOnce(&mut Found<'_>) + Send,
    examine: impl Fn(&Subject) -> FileFacts + Sync,
    mut take: impl FnMut(FileFacts) -> bool,
) {
    let (subjects, queue) = sync_channel(AHEAD);
    let (facts, results) = sync_channel(AHEAD);
    let queue = Mutex::new(queue);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| feed(find, subjects, &is_over));
        for _ in 0..jobs.get() {
            let facts = facts.clone();
            scope.spawn(|| work(&queue, &examine, facts));
        }
        drop(facts);
        in_order(results, &mut take);
        is_over.store(true, Ordering::Relaxed);
    });
}

fn feed(
    find: impl FnOnce(&mut Found<'_>),
    subjects: SyncSender<(u64, Subject)>,
    is_over: &AtomicBool,
) {
    let mut index = 0;
    find(&mut |subject| {
        let sent = subjects.send((index, subject)).is_ok();
        index += 1;
        sent && !is_over.load(Ordering::Relaxed)
    });
}

fn work(
    queue: &Mutex<Receiver<(u64, Subject)>>,
    examine: &impl Fn(&Subject) -> FileFacts,
    facts: SyncSender<(u64, FileFacts)>,
) {
    while let Some((index, subject)) = next(queue) {
        if facts.send((index, judged(&subject, examine))).is_err() {
            break;
        }
    }
    // What is still found is thrown away, or its finder would wait for ever.
    while next(queue).is_some() {}
}

fn next(queue: &Mutex<Receiver<(u64, Subject)>>) -> Option<(u64, Subject)> {
    queue.lock().ok()?.recv().ok()
}

fn judged(subject: &Subject, examine: &impl Fn(&Subject) -> FileFacts) -> FileFacts {
    let Some(trouble) = &subject.trouble else {
        return examine(subject);
    };
    FileFacts {
        path: subject.path.clone(),
        flaws: vec![Flaw {
            kind: FlawKind::Unreadable,
            part: "the path".to_owned(),
            at: None,
            detail: trouble.clone(),
        }],
        ..FileFacts::default()
    }
}

fn in_order(results: Receiver<(u64, FileFacts)>, take: &mut impl FnMut(FileFacts) -> bool) {
    let mut due = 0;
    let mut early = BTreeMap::new();
    for (index, facts) in results {
        early.insert(index, facts);
        while let Some(facts) = early.remove(&due) {
            due += 1;
            if !take(facts) {
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
