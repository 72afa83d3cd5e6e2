//! The merge loop of both models: the best adjacent pair is replaced by its token until none is left.

use super::TokenId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A symbol that is no token (yet).
pub(super) const NO_TOKEN: TokenId = TokenId::MAX;
const END: u32 = u32::MAX;
/// A longer piece is cut here, so that scratch memory (about 40 bytes a byte) stays bounded.
const MAX_PIECE_BYTES: usize = 1 << 20;

/// A stretch of a piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symbol {
    pub start: usize,
    pub end: usize,
    /// `NO_TOKEN` for a character or byte that the vocabulary lacks.
    pub id: TokenId,
}

/// What a model has to say about symbols.
pub(super) trait Merges {
    /// The symbol that starts at `start`, which is where another one ends: its length and id.
    fn symbol(&self, piece: &[u8], start: usize) -> (usize, TokenId);
    /// The token that two adjacent symbols form and its order: lower merges first, the leftmost of equals.
    fn pair(&self, piece: &[u8], left: Symbol, right: Symbol) -> Option<(u32, TokenId)>;
    /// What stands for a symbol that is no token.
    fn fall_back(&self, bytes: &[u8], out: &mut Vec<TokenId>);
}

#[derive(Debug, Clone, Copy)]
struct Node {
    previous: u32,
    /// Where the next symbol starts.
    next: u32,
    id: TokenId,
    alive: bool,
}

/// A possible merge. It is out of date when the two symbols no longer span `bytes`: symbols only ever grow.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    order: u32,
    left: u32,
    bytes: u32,
    id: TokenId,
}

/// Scratch memory of the loop, reused from piece to piece.
#[derive(Debug, Default)]
pub(super) struct Merger {
    /// One for each byte; symbols live where they start.
    nodes: Vec<Node>,
    queue: BinaryHeap<Reverse<Candidate>>,
}

impl Merger {
    /// Appends the tokens of a piece that [`Joints::pieces`] cut.
    pub fn merge(&mut self, piece: &str, model: &impl Merges, out: &mut Vec<TokenId>) {
        let bytes = piece.as_bytes();
        self.nodes.clear();
        self.nodes.resize(bytes.len(), Node { previous: END, next: END, id: NO_TOKEN, alive: false });
        let (mut start, mut previous) = (0, END);
        while start < bytes.len() {
            let (length, id) = model.symbol(bytes, start);
            self.nodes[start] = Node { previous, next: (start + length) as u32, id, alive: true };
            self.consider(bytes, model, previous, start as u32);
            previous = start as u32;
            start += length;
        }
        while let Some(Reverse(candidate)) = self.queue.pop() {
            self.apply(bytes, model, &candidate);
        }
        let mut at = 0;
        while at < bytes.len() {
            let symbol = self.symbol(at as u32);
            match symbol.id {
                NO_TOKEN => model.fall_back(&bytes[symbol.start..symbol.end], out),
                id => out.push(id),
            }
            at = symbol.end;
        }
    }

    fn symbol(&self, start: u32) -> Symbol {
        let node = self.nodes[start as usize];
        Symbol { start: start as usize, end: node.next as usize, id: node.id }
    }

    fn consider(&mut self, bytes: &[u8], model: &impl Merges, left: u32, right: u32) {
        if left == END || right as usize >= bytes.len() {
            return;
        }
        let (left, right) = (self.symbol(left), self.symbol(right));
        if let Some((order, id)) = model.pair(bytes, left, right) {
            let bytes = (right.end - left.start) as u32;
            self.queue.push(Reverse(Candidate { order, left: left.start as u32, bytes, id }));
        }
    }

    fn apply(&mut self, bytes: &[u8], model: &impl Merges, candidate: &Candidate) {
        let left = self.nodes[candidate.left as usize];
        let right = match self.nodes.get(left.next as usize) {
            Some(right) if left.alive && right.next - candidate.left == candidate.bytes => *right,
            _ => return,
        };
        self.nodes[left.next as usize].alive = false;
        let merged = Node { next: right.next, id: candidate.id, ..left };
        self.nodes[candidate.left as usize] = merged;
        if let Some(after) = self.nodes.get_mut(right.next as usize) {
            after.previous = candidate.left;
        }
        self.consider(bytes, model, merged.previous, candidate.left);
        self.consider(bytes, model, candidate.left, merged.next);
    }
}

/// Which two bytes stand side by side in some token. Between any other two no merge can ever happen, so text is
/// cut there without a change of the result: pieces become words, and merging them stays in the processor's cache.
#[derive(Debug)]
pub(super) struct Joints {
    bits: Box<[u64; 1024]>,
}

impl Joints {
    pub fn of<'a>(tokens: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut bits = Box::new([0; 1024]);
        for token in tokens {
            for pair in token.windows(2) {
                bits[pair[0] as usize * 4 + pair[1] as usize / 64] |= 1 << (pair[1] % 64);
            }
        }
        Self { bits }
    }

    fn joined(&self, left: u8, right: u8) -> bool {
        self.bits[left as usize * 4 + right as usize / 64] >> (right % 64) & 1 == 1
    }

    /// Cuts `text`, between characters, wherever nothing can merge.
    pub fn pieces<'t>(&self, text: &'t str, mut emit: impl FnMut(&'t str)) {
        let bytes = text.as_bytes();
        let mut start = 0;
        for at in 1..bytes.len() {
            let cut = !self.joined(bytes[at - 1], bytes[at]) || at - start >= MAX_PIECE_BYTES;
            if cut && text.is_char_boundary(at) {
                emit(&text[start..at]);
                start = at;
            }
        }
        if start < bytes.len() {
            emit(&text[start..]);
        }
    }
}
