//! Sharing work among threads, some of which may fail to start.

/// How many clusters a thread takes at a time: a huge page, large enough to be worth the while,
/// small enough to share evenly. Tables are smaller under Miri.
const CHUNK: usize = if cfg!(miri) { 512 } else { 32_768 };

/// Calls `visitor` for everything in `places`, on up to `threads` threads: this one, and as many
/// others as the system starts. The others do the share of a thread that could not be started.
#[cfg(feature = "std")]
pub(crate) fn visit<T: Sync>(places: &[T], threads: usize, visitor: fn(&T)) {
    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(chunk) = places.chunks(CHUNK).nth(next.fetch_add(1, Relaxed)) {
            chunk.iter().for_each(visitor);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(places.len().div_ceil(CHUNK)) {
            // The stack holds next to nothing; a small one is available when memory is short.
            let thread = std::thread::Builder::new().stack_size(64 << 10);
            if thread.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
}

#[cfg(not(feature = "std"))]
pub(crate) fn visit<T: Sync>(places: &[T], _: usize, visitor: fn(&T)) {
    places.chunks(CHUNK).flatten().for_each(visitor);
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    /// The work of a table of several huge pages is shared: who begins a page here goes on only
    /// after another thread has begun the next one.
    #[test]
    #[allow(clippy::large_stack_arrays)] // the stack is what is tested
    fn several_threads_take_part() {
        static BEGUN: Mutex<usize> = Mutex::new(0);
        static ANOTHER: Condvar = Condvar::new();
        // The clusters of a huge page, whatever the constant above says.
        const PAGE: usize = 32_768;
        let mut places = vec![false; 2 * PAGE];
        places[0] = true;
        places[PAGE] = true;
        visit(&places, 2, |&begins| {
            if begins {
                // More than the smallest stack that a thread can have.
                let room = std::hint::black_box([1_u8; 24 << 10]);
                assert_eq!(room[std::hint::black_box(9)], 1);
                let mut begun = BEGUN.lock().unwrap();
                *begun += 1;
                ANOTHER.notify_all();
                let alone = |begun: &mut usize| *begun < 2;
                let patience = Duration::from_secs(60);
                let (begun, _) = ANOTHER.wait_timeout_while(begun, patience, alone).unwrap();
                assert_eq!(*begun, 2, "one thread does everything");
            }
        });
    }
}
