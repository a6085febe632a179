//! Programs that are run at the same time: most of their time is the import of TensorFlow, on one core each.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result};

const AT_ONCE: usize = 2;

/// Does the work for each item, some of them at the same time, and hands on what came of it in the order of the items.
/// Ends at the first failure; what has begun by then is brought to its end.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
    mut take: impl FnMut(&T, R) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let (done, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            let (next, work, done) = (&next, &work, done.clone());
            scope.spawn(move || {
                while let Some((index, item)) = following(items, next) {
                    if done.send((index, work(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(done);
        let mut waiting = BTreeMap::new();
        let mut taken = 0;
        for (index, result) in results {
            waiting.insert(index, result?);
            while let Some(result) = waiting.remove(&taken) {
                let item = items.get(taken).context("a result without an item")?;
                take(item, result)?;
                taken += 1;
            }
        }
        Ok(())
    })
}

fn following<'a, T>(items: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, items.get(index)?))
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use anyhow::bail;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items_whichever_is_done_first() {
        let both = Barrier::new(AT_ONCE);
        let mut seen = Vec::new();
        let items: Vec<usize> = (0..10).collect();
        let work = |item: &usize| {
            // Only two that run at the same time get past this.
            both.wait();
            Ok(item * 2)
        };
        let take = |item: &usize, result| {
            seen.push((*item, result));
            Ok(())
        };
        in_order(&items, work, take).unwrap();
        assert_eq!(
            seen,
            items.iter().map(|it| (*it, it * 2)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_failure_ends_it() {
        let work = |item: &usize| match item {
            3 => bail!("no"),
            _ => Ok(()),
        };
        let items: Vec<usize> = (0..1_000_000).collect();
        assert!(in_order(&items, work, |_, ()| Ok(())).is_err());
    }
}
