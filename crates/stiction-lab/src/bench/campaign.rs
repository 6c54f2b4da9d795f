//! Runs the cases of a campaign on several threads. No case can stop it: panics are caught, and a
//! case that does not end is abandoned.

use cpu_time::ProcessTime;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// CPU time of its thread above which a case counts as slow (s).
pub const SLOW: f64 = 10.0;

/// CPU time of the process per worker after which a case is abandoned (s). Wall time would count
/// what other programs take.
const GIVE_UP: f64 = 6.0 * SLOW;

/// Stack of a worker: that of a main thread.
const STACK: usize = 8 << 20;

/// Its result.
pub enum End<T> {
    Tried(T),
    Panicked(String),
    /// Abandoned while still running, after this many seconds.
    Unfinished(f64),
}

/// What the workers share.
struct Shared<F> {
    attempt: F,
    count: u64,
    next: AtomicU64,
    /// The current case of each worker, and the time of the process at its start.
    busy: Mutex<Vec<Option<(u64, ProcessTime)>>>,
    /// Where the last panic was.
    panic: Mutex<String>,
}

/// Attempts the cases `0, 1, …, count − 1`, in any order.
pub fn run<T: Send + 'static>(
    count: u64,
    threads: usize,
    attempt: impl Fn(u64) -> T + Send + Sync + 'static,
    mut see: impl FnMut(u64, End<T>),
) {
    let shared = Arc::new(Shared {
        attempt,
        count,
        next: AtomicU64::new(0),
        busy: Mutex::new(Vec::new()),
        panic: Mutex::new(String::new()),
    });
    let quiet = Arc::clone(&shared);
    std::panic::set_hook(Box::new(move |info| {
        if let Ok(mut last) = quiet.panic.lock() {
            *last = info.to_string();
        }
    }));
    let (sender, receiver) = channel();
    for _ in 0..threads.max(1) {
        start(&shared, &sender);
    }
    collect(&shared, &sender, &receiver, &mut see);
    let _ = std::panic::take_hook();
}

fn start<T: Send + 'static, F: Fn(u64) -> T + Send + Sync + 'static>(
    shared: &Arc<Shared<F>>,
    sender: &Sender<(u64, End<T>)>,
) {
    let (shared, sender) = (Arc::clone(shared), sender.clone());
    let Ok(mut busy) = shared.busy.lock() else { return };
    let worker = busy.len();
    busy.push(None);
    drop(busy);
    // A worker that cannot be started leaves its work to the others.
    let _ =
        std::thread::Builder::new().stack_size(STACK).spawn(move || work(&shared, worker, &sender));
}

fn work<T, F: Fn(u64) -> T>(shared: &Shared<F>, worker: usize, sender: &Sender<(u64, End<T>)>) {
    let at = |what: Option<(u64, ProcessTime)>| {
        if let Ok(mut busy) = shared.busy.lock() {
            busy[worker] = what;
        }
    };
    loop {
        let k = shared.next.fetch_add(1, Ordering::Relaxed);
        if k >= shared.count {
            return;
        }
        at(Some((k, ProcessTime::now())));
        let end = match catch_unwind(AssertUnwindSafe(|| (shared.attempt)(k))) {
            Ok(tried) => End::Tried(tried),
            Err(_) => End::Panicked(shared.panic.lock().map_or(String::new(), |p| p.clone())),
        };
        at(None);
        if sender.send((k, end)).is_err() {
            return;
        }
    }
}

fn collect<T: Send + 'static, F: Fn(u64) -> T + Send + Sync + 'static>(
    shared: &Arc<Shared<F>>,
    sender: &Sender<(u64, End<T>)>,
    receiver: &Receiver<(u64, End<T>)>,
    see: &mut impl FnMut(u64, End<T>),
) {
    let mut left: BTreeSet<u64> = BTreeSet::new();
    let mut seen = 0;
    while seen < shared.count {
        match receiver.recv_timeout(Duration::from_secs(1)) {
            Ok((k, end)) if !left.contains(&k) => {
                see(k, end);
                seen += 1;
            }
            // It ended too late, or nothing was abandoned.
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let busy = shared.busy.lock().map_or(Vec::new(), |busy| busy.clone());
        let workers = busy.iter().flatten().count().max(1) as f64;
        for (k, since) in busy.into_iter().flatten() {
            let seconds = since.elapsed().as_secs_f64() / workers;
            if seconds > GIVE_UP && left.insert(k) {
                see(k, End::Unfinished(seconds));
                seen += 1;
                start(shared, sender);
            }
        }
    }
}
