//! User-defined tokens: texts that are matched as a whole before the model sees the rest.

use super::TokenId;
use super::hash::{self, Collisions, Index};
use super::merge::NO_TOKEN;
use std::collections::BTreeMap;

/// A trie over the texts of all user-defined tokens.
#[derive(Debug)]
pub(super) struct UserDefined {
    /// Bytes that some token starts with.
    starts: [bool; 256],
    /// Parent and byte of every node but the root; node `n` is `edges[n - 1]`.
    edges: Vec<(u32, u8)>,
    children: Index,
    /// The token that ends in a node.
    tokens: Vec<TokenId>,
}

/// A token found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Match {
    pub start: usize,
    pub end: usize,
    pub id: TokenId,
}

impl UserDefined {
    pub fn new<'a>(tokens: impl Iterator<Item = (TokenId, &'a [u8])> + Clone) -> Result<Self, Collisions> {
        let total_bytes = tokens.clone().map(|(_, text)| text.len()).sum();
        let mut trie = Self {
            starts: [false; 256],
            edges: Vec::new(),
            children: Index::with_capacity(total_bytes),
            tokens: vec![NO_TOKEN],
        };
        for (id, text) in tokens {
            trie.insert(id, text)?;
        }
        Ok(trie)
    }

    fn insert(&mut self, id: TokenId, text: &[u8]) -> Result<(), Collisions> {
        let Some(&first) = text.first() else { return Ok(()) };
        self.starts[first as usize] = true;
        let mut node = 0;
        for &byte in text {
            node = match self.child(node, byte) {
                Some(child) => child,
                None => {
                    self.edges.push((node, byte));
                    self.tokens.push(NO_TOKEN);
                    let child = self.edges.len() as u32;
                    self.children.insert(hash::pair(node, byte.into()), child, |_| false)?;
                    child
                }
            };
        }
        let token = &mut self.tokens[node as usize];
        if *token == NO_TOKEN {
            *token = id;
        }
        Ok(())
    }

    fn child(&self, node: u32, byte: u8) -> Option<u32> {
        let same = |child: u32| self.edges[child as usize - 1] == (node, byte);
        self.children.find(hash::pair(node, byte.into()), same)
    }

    /// The longest token at the start of `text`: its length and id.
    fn longest(&self, text: &[u8]) -> Option<(usize, TokenId)> {
        let (mut node, mut found) = (0, None);
        for (index, &byte) in text.iter().enumerate() {
            match self.child(node, byte) {
                Some(child) => node = child,
                None => break,
            }
            match self.tokens[node as usize] {
                NO_TOKEN => {}
                id => found = Some((index + 1, id)),
            }
        }
        found
    }

    /// The tokens in `text`, in its order. Longer tokens are taken first wherever they stand, as llama.cpp does,
    /// and of equally long ones the leftmost.
    pub fn find(&self, text: &[u8]) -> Vec<Match> {
        let mut found = Vec::new();
        if self.edges.is_empty() {
            return found;
        }
        // Every position waits under the length of the longest token that may still start there.
        let mut waiting: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (start, byte) in text.iter().enumerate() {
            if self.starts[*byte as usize]
                && let Some((length, _)) = self.longest(&text[start..])
            {
                waiting.entry(length).or_default().push(start);
            }
        }
        let mut taken = vec![false; if waiting.is_empty() { 0 } else { text.len() }];
        while let Some((length, mut starts)) = waiting.pop_last() {
            starts.sort_unstable();
            for start in starts {
                let free = taken[start..start + length].iter().position(|taken| *taken).unwrap_or(length);
                match self.longest(&text[start..start + free]) {
                    Some((fitting, id)) if fitting == length => {
                        taken[start..start + length].fill(true);
                        found.push(Match { start, end: start + length, id });
                    }
                    Some((shorter, _)) => waiting.entry(shorter).or_default().push(start),
                    None => {}
                }
            }
        }
        found.sort_unstable_by_key(|found| found.start);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(tokens: &[&str], text: &str) -> String {
        let numbered = tokens.iter().enumerate().map(|(id, text)| (id as TokenId, text.as_bytes()));
        let trie = UserDefined::new(numbered).unwrap();
        let found = trie.find(text.as_bytes());
        let show = |found: &Match| format!("{}@{}", &text[found.start..found.end], found.start);
        found.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn longer_tokens_come_first_wherever_they_stand() {
        assert_eq!(found(&["xa", "abc"], "xabc"), "abc@1");
        assert_eq!(found(&["a", "aa", "aaaa"], "aaaaaaa"), "aaaa@0 aa@4 a@6");
        assert_eq!(found(&["ab", "bcd", "c"], "abcd"), "bcd@1");
        assert_eq!(found(&["ab", "bcd", "a"], "abcd"), "a@0 bcd@1");
    }

    #[test]
    fn nothing_to_find() {
        assert_eq!(found(&[], "abc"), "");
        assert_eq!(found(&["", "zz"], "abcz"), "");
        assert_eq!(found(&["abc"], ""), "");
    }

    #[test]
    fn of_two_tokens_with_one_text_the_first_is_used() {
        let twice = [(3, b"x".as_slice()), (9, b"x".as_slice())];
        let trie = UserDefined::new(twice.into_iter()).unwrap();
        assert_eq!(trie.find(b"x"), [Match { start: 0, end: 1, id: 3 }]);
    }
}
