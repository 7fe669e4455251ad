//! A work queue over all processors: each worker takes the next item.
//!
//! Only for work whose result does not depend on timing: virtual searches and games by nodes.

use std::sync::atomic::{AtomicUsize, Ordering};

use megatherium_search::Engine;

use crate::error::LabError;
use crate::observer::Observer;

/// Runs `work` on every item, on `workers` threads. Items not reached before a stop have no result;
/// the first error ends the run.
pub fn share_out<T: Sync, R: Send>(
    items: &[T],
    workers: usize,
    observer: &dyn Observer,
    work: impl Fn(usize, &T) -> Result<Option<R>, LabError> + Sync,
) -> Result<Vec<Option<R>>, LabError> {
    let next = AtomicUsize::new(0);
    let work = &work;
    let run = || {
        let mut done = Vec::new();
        while !observer.stopped() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { break };
            match work(index, item) {
                Ok(result) => done.push((index, Ok(result))),
                Err(error) => {
                    next.store(items.len(), Ordering::Relaxed);
                    done.push((index, Err(error)));
                }
            }
        }
        done
    };
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let done = std::thread::scope(|scope| {
        // If a thread cannot be started, the others do its share.
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, run).ok();
        let handles: Vec<_> = (1..workers.clamp(1, items.len().max(1))).filter_map(spawn).collect();
        let mut done = run();
        for handle in handles {
            done.extend(handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    for (index, result) in done {
        results[index] = result?;
    }
    Ok(results)
}

/// An engine that is reused as long as its threads and table fit.
#[derive(Default)]
pub struct Rig(Option<Engine>);

impl Rig {
    /// An engine with `threads` threads and a table of `mebibytes`.
    pub fn engine(&mut self, threads: usize, mebibytes: usize) -> Result<&mut Engine, LabError> {
        let engine = match self.0.take() {
            Some(mut engine) => {
                engine.set_threads(threads)?;
                if engine.hash_mebibytes() != mebibytes {
                    engine.set_hash(mebibytes)?;
                }
                engine
            }
            None => Engine::new(threads, mebibytes)?,
        };
        Ok(self.0.insert(engine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Nobody;

    #[test]
    fn every_item_is_done_once_and_in_its_place() {
        let items: Vec<usize> = (0..100).collect();
        let results = share_out(&items, 3, &Nobody::default(), |index, &item| {
            assert_eq!(index, item);
            Ok((item % 10 != 0).then_some(item * 2))
        })
        .unwrap();
        assert_eq!(results.len(), 100);
        assert_eq!((results[10], results[11]), (None, Some(22)));
    }

    #[test]
    fn an_error_ends_it_and_a_stop_leaves_the_rest() {
        let items: Vec<usize> = (0..1000).collect();
        let fail = |_: usize, &item: &usize| {
            if item == 3 { Err(LabError::Settings("three".to_owned())) } else { Ok(Some(())) }
        };
        assert_eq!(
            share_out(&items, 2, &Nobody::default(), fail).unwrap_err().to_string(),
            "three"
        );
        let observer = Nobody::default();
        observer.stop().store(true, Ordering::Relaxed);
        let results = share_out(&items, 2, &observer, |_, _| Ok(Some(()))).unwrap();
        assert!(results.iter().all(Option::is_none));
    }
}
