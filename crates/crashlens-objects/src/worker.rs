//! The runtime that the client library needs, behind calls that block and end in time.

use std::future::Future;
use std::io;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// One thread that does all sending and receiving.
pub(crate) struct Worker(Runtime);

/// Something under way.
pub(crate) struct Pending<T> {
    task: JoinHandle<io::Result<T>>,
    handle: Handle,
}

impl Worker {
    pub(crate) fn start() -> io::Result<Self> {
        Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("crashlens-objects")
            .enable_io()
            .enable_time()
            .build()
            .map(Self)
    }

    pub(crate) fn handle(&self) -> Handle {
        self.0.handle().clone()
    }
}

/// Starts something; it ends when nobody waits for it any more.
pub(crate) fn begin<T: Send + 'static>(
    handle: &Handle,
    work: impl Future<Output = io::Result<T>> + Send + 'static,
) -> Pending<T> {
    Pending {
        task: handle.spawn(work),
        handle: handle.clone(),
    }
}

impl<T> Pending<T> {
    /// Waits for it until then.
    pub(crate) fn wait(mut self, deadline: Instant) -> io::Result<T> {
        let left = deadline.saturating_duration_since(Instant::now());
        let handle = self.handle.clone();
        let outcome = handle.block_on(async { tokio::time::timeout(left, &mut self.task).await });
        match outcome {
            Ok(Ok(result)) => result,
            // A panic of the library must not be one of ours.
            Ok(Err(_)) => Err(io::Error::other("the client of the store failed")),
            Err(_) => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the store did not answer in the time allowed",
            )),
        }
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The moment after so long.
pub(crate) fn after(patience: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(patience).unwrap_or(now)
}
