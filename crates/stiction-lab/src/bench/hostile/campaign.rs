//! Runs the problems on several threads. No problem can stop the campaign: panics are caught, and a
//! problem that does not end is abandoned.

use super::case::{self, Tried};
use super::families::Family;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// CPU time of its thread above which a solver counts as slow (s).
pub const SLOW: f64 = 10.0;

/// Wall time after which a problem is abandoned (s).
const GIVE_UP: f64 = 120.0;

/// Stack of a worker: that of a main thread.
const STACK: usize = 8 << 20;

/// One problem of the campaign.
#[derive(Clone, Copy)]
pub struct Place {
    pub family: &'static Family,
    pub number: u64,
}

/// Its result.
pub enum End {
    Tried(Tried),
    Panicked(String),
    /// Abandoned while still running.
    Unfinished {
        solver: String,
        seconds: f64,
    },
}

/// The problems of a campaign.
#[derive(Clone)]
pub struct Plan {
    pub families: Vec<&'static Family>,
    pub seed: u64,
    pub first: u64,
    pub count: u64,
    pub threads: usize,
}

impl Plan {
    /// Round robin over the families.
    fn place(&self, k: u64) -> Place {
        let families = self.families.len() as u64;
        Place { family: self.families[(k % families) as usize], number: self.first + k / families }
    }
}

/// What the workers share.
struct Shared {
    plan: Plan,
    next: AtomicU64,
    /// The current problem of each worker, and its start.
    busy: Mutex<Vec<Option<(u64, Instant)>>>,
    /// Where the last panic was.
    panic: Mutex<String>,
}

/// Runs every problem of a plan, in any order.
pub fn run(plan: &Plan, mut see: impl FnMut(u64, Place, End)) {
    let shared = Arc::new(Shared {
        plan: plan.clone(),
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
    for _ in 0..plan.threads.max(1) {
        start(&shared, &sender);
    }
    collect(&shared, &sender, &receiver, &mut see);
    let _ = std::panic::take_hook();
}

type Message = (u64, End);

fn start(shared: &Arc<Shared>, sender: &Sender<Message>) {
    let (shared, sender) = (Arc::clone(shared), sender.clone());
    let Ok(mut busy) = shared.busy.lock() else { return };
    let worker = busy.len();
    busy.push(None);
    drop(busy);
    // A worker that cannot be started leaves its work to the others.
    let _ =
        std::thread::Builder::new().stack_size(STACK).spawn(move || work(&shared, worker, &sender));
}

fn work(shared: &Shared, worker: usize, sender: &Sender<Message>) {
    let at = |what: Option<(u64, Instant)>| {
        if let Ok(mut busy) = shared.busy.lock() {
            busy[worker] = what;
        }
    };
    loop {
        let k = shared.next.fetch_add(1, Ordering::Relaxed);
        if k >= shared.plan.count {
            return;
        }
        let place = shared.plan.place(k);
        at(Some((k, Instant::now())));
        let attempt = || case::attempt(place.family, shared.plan.seed, place.number);
        let end = match catch_unwind(AssertUnwindSafe(attempt)) {
            Ok(tried) => End::Tried(tried),
            Err(_) => End::Panicked(shared.panic.lock().map_or(String::new(), |p| p.clone())),
        };
        at(None);
        if sender.send((k, end)).is_err() {
            return;
        }
    }
}

fn collect(
    shared: &Arc<Shared>,
    sender: &Sender<Message>,
    receiver: &Receiver<Message>,
    see: &mut impl FnMut(u64, Place, End),
) {
    let mut left: BTreeSet<u64> = BTreeSet::new();
    let mut seen = 0;
    while seen < shared.plan.count {
        match receiver.recv_timeout(Duration::from_secs(1)) {
            Ok((k, end)) if !left.contains(&k) => {
                see(k, shared.plan.place(k), end);
                seen += 1;
            }
            // It ended too late, or nothing was abandoned.
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let busy = shared.busy.lock().map_or(Vec::new(), |busy| busy.clone());
        for (k, since) in busy.into_iter().flatten() {
            let seconds = since.elapsed().as_secs_f64();
            if seconds > GIVE_UP && left.insert(k) {
                let place = shared.plan.place(k);
                let solver = case::solver(place.family, shared.plan.seed, place.number);
                see(k, place, End::Unfinished { solver, seconds });
                seen += 1;
                start(shared, sender);
            }
        }
    }
}
