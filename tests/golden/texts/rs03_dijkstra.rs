use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::Hash;

/// A directed graph with non-negative edge weights.
#[derive(Default)]
pub struct Graph<N> {
    edges: HashMap<N, Vec<(N, u32)>>,
}

impl<N: Copy + Eq + Hash + Ord> Graph<N> {
    pub fn add_edge(&mut self, from: N, to: N, weight: u32) {
        self.edges.entry(from).or_default().push((to, weight));
        self.edges.entry(to).or_default();
    }

    /// Length of the shortest path and the path itself, both ends included.
    pub fn shortest_path(&self, start: N, goal: N) -> Option<(u32, Vec<N>)> {
        let mut distance: HashMap<N, u32> = HashMap::new();
        let mut previous: HashMap<N, N> = HashMap::new();
        let mut queue = BinaryHeap::new();
        distance.insert(start, 0);
        queue.push(Reverse((0, start)));

        while let Some(Reverse((cost, node))) = queue.pop() {
            if node == goal {
                let mut path = vec![goal];
                let mut current = goal;
                while let Some(&before) = previous.get(&current) {
                    path.push(before);
                    current = before;
                }
                path.reverse();
                return Some((cost, path));
            }
