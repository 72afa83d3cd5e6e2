//! A compact open-addressing index: slots hold only `u32` numbers, the keys stay where they are.

/// Marks a free slot.
const FREE: u32 = u32::MAX;
/// Natural tables at half load never come near it; a file built to collide is refused instead of loading for hours.
const MAX_PROBES: usize = 1024;

/// Numbers below `u32::MAX` by the hash of a key that the caller can compare.
#[derive(Debug)]
pub(super) struct Index {
    slots: Vec<u32>,
    shift: u32,
}

/// Too many keys share a hash.
#[derive(Debug)]
pub(super) struct Collisions;

impl Index {
    /// Room for `count` numbers at a load of at most one half.
    pub fn with_capacity(count: usize) -> Self {
        let bits = (count.max(4) * 2).next_power_of_two().trailing_zeros();
        Self { slots: vec![FREE; 1 << bits], shift: 64 - bits }
    }

    /// Enters `number` unless a number with an equal key is there already.
    pub fn insert(&mut self, hash: u64, number: u32, same: impl Fn(u32) -> bool) -> Result<(), Collisions> {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        for _ in 0..MAX_PROBES {
            match self.slots[at] {
                FREE => {
                    self.slots[at] = number;
                    return Ok(());
                }
                other if same(other) => return Ok(()),
                _ => at = (at + 1) & mask,
            }
        }
        Err(Collisions)
    }

    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            match self.slots[at] {
                FREE => return None,
                other if same(other) => return Some(other),
                _ => at = (at + 1) & mask,
            }
        }
    }
}

/// Odd, with its bits well spread: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

fn mix(state: u64, word: u64) -> u64 {
    let product = (state ^ word).wrapping_mul(SPREAD);
    product ^ (product >> 32)
}

/// Hash of a byte string, eight bytes at a time; the high bits are the good ones.
pub(super) fn bytes(key: &[u8]) -> u64 {
    let (words, rest) = key.as_chunks::<8>();
    let mut state = key.len() as u64;
    for word in words {
        state = mix(state, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(state, u64::from_le_bytes(last)).wrapping_mul(SPREAD)
}

/// Hash of a pair of ids.
pub(super) fn pair(left: u32, right: u32) -> u64 {
    mix(0, u64::from(left) << 32 | u64::from(right)).wrapping_mul(SPREAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_again_beside_others_of_the_same_hash() {
        let mut index = Index::with_capacity(3);
        for number in 0..3 {
            index.insert(u64::MAX, number, |other| other == number).unwrap();
        }
        assert_eq!(index.find(u64::MAX, |other| other == 2), Some(2));
        assert_eq!(index.find(u64::MAX, |other| other == 3), None);
        assert_eq!(index.find(u64::MAX / 2, |_| true), None);
    }

    #[test]
    fn a_flood_of_equal_hashes_is_refused() {
        let mut index = Index::with_capacity(4 * MAX_PROBES);
        let outcome = (0..4 * MAX_PROBES as u32).try_for_each(|number| index.insert(0, number, |_| false));
        assert!(outcome.is_err());
    }

    #[test]
    fn length_counts() {
        assert_ne!(bytes(b"a"), bytes(b"a\0"));
        assert_ne!(bytes(b""), bytes(b"\0"));
    }
}
