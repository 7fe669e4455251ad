//! What a group of threads shares: made once, by the first of them, on its memory node.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// One `T` for each group of threads.
pub struct Groups<T> {
    /// The group of each thread.
    seats: Vec<usize>,
    made: Mutex<HashMap<usize, Arc<T>>>,
}

impl<T> Groups<T> {
    /// Threads of the same node, given by thread, in groups of at most `size`.
    pub fn new(node_of: impl Fn(usize) -> usize, threads: usize, size: usize) -> Groups<T> {
        // For each node the group that is being filled, and its members so far.
        let mut open: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut groups = 0;
        let seat = |thread| {
            let (group, members) = open.entry(node_of(thread)).or_insert((0, size));
            if *members >= size {
                (*group, *members) = (groups, 0);
                groups += 1;
            }
            *members += 1;
            *group
        };
        Groups { seats: (0..threads).map(seat).collect(), made: Mutex::default() }
    }

    /// What the group of a thread shares; the first of them makes it.
    pub fn join<E>(&self, thread: usize, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let group = self.seats[thread];
        let mut made = self.made.lock();
        if let Some(known) = made.get(&group) {
            return Ok(Arc::clone(known));
        }
        let new = Arc::new(make()?);
        made.insert(group, Arc::clone(&new));
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_stay_on_their_node_and_are_not_too_large() {
        let groups: Groups<()> = Groups::new(|thread| thread % 2, 10, 3);
        assert_eq!(groups.seats, [0, 1, 0, 1, 0, 1, 2, 3, 2, 3]);
        let alone: Groups<()> = Groups::new(|_| 0, 4, 1);
        assert_eq!(alone.seats, [0, 1, 2, 3]);
    }

    #[test]
    fn the_first_of_a_group_makes_what_all_share() {
        let groups: Groups<u32> = Groups::new(|_| 0, 3, 2);
        assert_eq!(groups.join(1, || Err("no memory")), Err("no memory"));
        let first = groups.join::<()>(1, || Ok(7)).unwrap();
        let second = groups.join::<()>(0, || Ok(8)).unwrap();
        assert!(*first == 7 && Arc::ptr_eq(&first, &second));
        assert_eq!(*groups.join::<()>(2, || Ok(9)).unwrap(), 9);
    }
}
