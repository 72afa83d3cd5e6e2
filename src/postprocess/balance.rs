//! Which cut of a text leaves the brackets and quotes around it in order.
//!
//! A cut is judged by what is wrong in the whole once it is inserted: closers that close nothing, openers before the
//! caret that the text after it no longer closes, brackets that cross, and strings cut by the end of the line. What
//! the inserted text itself opens may stay open; the user goes on typing there.

use super::surroundings::{Surroundings, last_bytes};
use super::syntax::{Language, Mode, Scanner};

/// Text before the caret that is read again with the inserted text, to see what its first characters belong to.
const LOOK_BEHIND_BYTES: usize = 64;
/// Places for a cut that are compared.
const MAX_PLACES: usize = 12;

/// The brackets around the caret.
#[derive(Debug)]
pub(super) struct Balance<'a> {
    around: &'a Surroundings<'a>,
    language: Language,
    before: Scanner,
}

/// What is wrong, and what stays open. An unfinished document has much open, so that this counts only among equals.
type Cost = (usize, usize);

/// The closers that a text owes to what stands before it.
#[derive(Debug)]
struct After {
    closers: Vec<u8>,
    cuts_string: bool,
}

impl<'a> Balance<'a> {
    /// Reads the text before the caret.
    pub fn new(around: &'a Surroundings<'a>, language: Option<Language>) -> Self {
        let near = around.lines_above().take(150).chain([around.line_start, around.line_rest]);
        let language = language.unwrap_or_else(|| Language::guess(near.chain(around.lines_below().take(50))));
        let mut before = Scanner::new(language, Mode::Code);
        before.read(around.before);
        before.mark();
        Self { around, language, before }
    }

    /// The cut of `text` with the least disorder, among the ends of `text` in `ends`; the first among equals.
    pub fn best_end(&self, text: &str, ends: &[usize]) -> usize {
        if let [only] = ends {
            return *only;
        }
        let best = ends.iter().zip(self.costs(text, ends)).min_by_key(|(_, cost)| *cost);
        best.map_or(text.len(), |(end, _)| *end)
    }

    /// Cuts a text before a closer, or the end of a string, that is one too many.
    pub fn without_surplus<'t>(&self, text: &'t str) -> &'t str {
        let mut ends = vec![text.len()];
        let (joined, start, mut scanner) = self.start(text);
        let mut at = start;
        while at < joined.len() && ends.len() < MAX_PLACES {
            let (next, closes_what_it_did_not_open) = scanner.step(&joined, at);
            if closes_what_it_did_not_open {
                ends.push(at - start);
            }
            at = next;
        }
        if ends.len() == 1 {
            return text;
        }
        // The longest first, so that it wins where nothing speaks against it. What stays open does not: the user may
        // be about to close it.
        ends[1..].reverse();
        let best = ends.iter().zip(self.costs(text, &ends)).min_by_key(|(_, (wrong, _))| *wrong);
        &text[..best.map_or(text.len(), |(end, _)| *end)]
    }

    /// Cuts a text of several lines after the last one at which everything is closed that the text opened, where what
    /// stays open is closed by nothing in the document either. A text whose first line stays open is kept.
    pub fn without_open_end<'t>(&self, text: &'t str) -> &'t str {
        let (joined, start, mut scanner) = self.start(text);
        let mut closed_end = None;
        let mut at = start;
        let is_closed =
            |scanner: &Scanner| scanner.owed.len() == scanner.inherited && scanner.mode != Mode::BlockComment;
        while at < joined.len() {
            let is_break = joined[at] == b'\n' && !text[..at - start].trim().is_empty();
            if is_break && is_closed(&scanner) {
                closed_end = Some(at - start);
            }
            at = scanner.step(&joined, at).0;
        }
        match closed_end {
            Some(end) if !is_closed(&scanner) => {
                let closes = self.after(scanner.mode).closers.len() > scanner.inherited;
                if closes || self.around.after_is_cut { text } else { &text[..end] }
            }
            _ => text,
        }
    }

    /// What is wrong for each of the ends.
    fn costs(&self, text: &str, ends: &[usize]) -> Vec<Cost> {
        let mut costs = vec![(usize::MAX, 0); ends.len()];
        let mut known: Vec<(Mode, After)> = Vec::new();
        let (joined, start, mut scanner) = self.start(text);
        let mut at = start;
        loop {
            for (cost, _) in costs.iter_mut().zip(ends).filter(|(_, end)| **end == at - start) {
                if known.iter().all(|(mode, _)| *mode != scanner.mode) {
                    known.push((scanner.mode, self.after(scanner.mode)));
                }
                let after = known.iter().find(|(mode, _)| *mode == scanner.mode);
                if let Some((_, after)) = after {
                    *cost = self.cost(&scanner, after);
                }
            }
            if at >= joined.len() {
                return costs;
            }
            at = scanner.step(&joined, at).0;
        }
    }

    /// The text with something before it, where it starts there, and a scanner for it.
    fn start(&self, text: &str) -> (Vec<u8>, usize, Scanner) {
        let behind = last_bytes(self.around.before, LOOK_BEHIND_BYTES);
        ([behind, text].concat().into_bytes(), behind.len(), self.before.clone())
    }

    /// What follows the caret, when it follows a text that ends in `mode`.
    fn after(&self, mode: Mode) -> After {
        let mut scanner = Scanner::new(self.language, mode);
        scanner.read(self.around.line_rest);
        let in_string = scanner.cut_strings > 0 || matches!(scanner.mode, Mode::Quoted(_));
        let cuts_string = in_string && !self.around.ends_line();
        if !self.around.below.is_empty() {
            scanner.read("\n");
            scanner.read(self.around.below);
        }
        After { closers: scanner.unpaid, cuts_string }
    }

    fn cost(&self, scanner: &Scanner, after: &After) -> Cost {
        let mut owed = &scanner.owed[..];
        let mut cost = scanner.wrong + usize::from(after.cuts_string);
        let mut unpaid = scanner.unpaid.len();
        for closer in &after.closers {
            let pays = |owed: &&u8| **owed == *closer || **owed == b'$' && *closer == b'}';
            match owed.iter().rev().take(LOOK_BEHIND_BYTES).position(|owed| pays(&owed)) {
                Some(skipped) => {
                    cost += skipped;
                    owed = &owed[..owed.len() - 1 - skipped];
                }
                None if owed.is_empty() => unpaid += 1,
                None => cost += 1,
            }
        }
        // What was left out of the windows may well be the partner of what has none in them.
        let unpaid = if self.around.before_is_cut { 0 } else { unpaid };
        let open = if self.around.after_is_cut { 0 } else { owed.len().min(scanner.inherited) };
        (cost + unpaid, open)
    }
}
