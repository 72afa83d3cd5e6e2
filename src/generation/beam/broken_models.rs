//! Models that answer nonsense: the search ends, and what it gives is finite.

use super::*;
use proptest::prelude::*;

/// Bytes of the tokens, `None` for control tokens, of which `end` is the one that ends.
struct Odd {
    texts: Vec<Option<&'static [u8]>>,
    end: Option<u32>,
    banned: Vec<u32>,
}

impl Odd {
    fn new(texts: &[Option<&'static [u8]>], end: Option<u32>) -> Self {
        let controls = (0_u32..).zip(texts).filter(|(_, text)| text.is_none()).map(|(id, _)| id);
        let banned = controls.filter(|id| Some(*id) != end).collect();
        Self { texts: texts.to_vec(), end, banned }
    }
}

impl Vocabulary for Odd {
    fn bytes(&self, token: u32) -> &[u8] {
        self.texts[token as usize].unwrap_or_default()
    }

    fn starting_with(&self, _: &[u8]) -> &[u32] {
        &[]
    }

    fn is_end(&self, token: u32) -> bool {
        self.end == Some(token)
    }

    fn banned(&self) -> &[u32] {
        &self.banned
    }
}

/// Runs a search that always sees the same row of logits; gives the reason and the texts.
fn run(vocabulary: &Odd, row: &[f32], width: usize) -> (StopReason, Vec<Vec<u8>>) {
    let options = BeamOptions { width, max_iterations: 12, ..BeamOptions::default() };
    let ending = Ending { may_break_first: true, ..Ending::default() };
    let mut search = BeamSearch::new(options, ending, Vec::new());
    let log_sum_exp = |row: &[f32]| row.iter().map(|x| x.exp()).sum::<f32>().ln();
    let mut rows = 1;
    for _ in 0..=12 {
        match search.choose(&row.repeat(rows), &log_sum_exp, vocabulary) {
            Decision::Feed(steps) => rows = steps.len(),
            Decision::Stop(reason) => {
                for answer in search.answers() {
                    let score = answer.hypothesis.score();
                    assert!(score.is_finite() && score <= 0.0, "{score}");
                }
                return (reason, search.answers().iter().map(|answer| answer.bytes.to_vec()).collect());
            }
        }
    }
    panic!("the search goes on after its last iteration");
}

const CONTROL: Option<&[u8]> = None;

#[test]
fn without_line_breaks_and_end_tokens_the_budget_ends_it() {
    let vocabulary = Odd::new(&[Some(b"a"), Some(b"b")], None);
    for width in 1..=4 {
        let (reason, texts) = run(&vocabulary, &[1.0, 0.0], width);
        assert_eq!(reason, StopReason::TokenBudget);
        assert_eq!(texts[0], b"aaaaaaaaaaaa");
    }
}

#[test]
fn control_tokens_are_never_chosen_however_likely() {
    let vocabulary = Odd::new(&[CONTROL, Some(b"a"), CONTROL, CONTROL], Some(3));
    for width in 1..=4 {
        let (reason, texts) = run(&vocabulary, &[90.0, 1.0, 80.0, 0.0], width);
        assert_eq!(reason, if width == 1 { StopReason::TokenBudget } else { StopReason::EndToken });
        assert!(texts.iter().flatten().all(|byte| *byte == b'a'), "{texts:?}");
    }
    let silent = Odd::new(&[CONTROL, CONTROL], None);
    assert_eq!(run(&silent, &[1.0, 2.0], 3), (StopReason::NoToken, vec![vec![]]));
    assert_eq!(run(&vocabulary, &[0.0, 0.0, 0.0, 9.0], 1), (StopReason::EndToken, vec![vec![]]));
}

#[test]
fn logits_that_are_no_numbers_are_passed_over() {
    let vocabulary = Odd::new(&[Some(b"a"), Some(b"\n"), Some(b"b")], None);
    let (nan, huge) = (f32::NAN, f32::INFINITY);
    assert_eq!(run(&vocabulary, &[nan; 3], 3).0, StopReason::NoToken);
    assert_eq!(run(&vocabulary, &[-huge; 3], 3).0, StopReason::NoToken);
    assert_eq!(run(&vocabulary, &[nan, nan, 1.0], 2), (StopReason::TokenBudget, vec![b"b".repeat(12)]));
    assert_eq!(run(&vocabulary, &[-huge, 1.0, nan], 1), (StopReason::BlankLine, vec![vec![]]));
    assert_eq!(run(&vocabulary, &[huge, 1.0, nan], 1), (StopReason::TokenBudget, vec![b"a".repeat(12)]));
}

#[test]
fn bytes_that_are_no_text_are_handed_on_as_they_are() {
    let vocabulary = Odd::new(&[Some(b"\xff"), Some(b"\xf0\x9f"), Some(b"")], None);
    let (reason, texts) = run(&vocabulary, &[0.5, 1.0, 0.0], 2);
    assert_eq!(reason, StopReason::TokenBudget);
    assert!(texts[0].starts_with(b"\xf0\x9f"));
    assert_eq!(
        run(&vocabulary, &[0.0, 0.0, 1.0], 1),
        (StopReason::TokenBudget, vec![vec![]]),
        "no bytes at all"
    );
}

proptest! {
    #[test]
    fn any_logits_end(
        row in prop::collection::vec(
            prop_oneof![4 => -9.0..9.0_f32, 1 => Just(f32::NAN), 1 => Just(f32::INFINITY), 1 => Just(f32::NEG_INFINITY)],
            6,
        ),
        width in 1_usize..=8,
    ) {
        let texts = [Some(b"a".as_slice()), Some(b"\n"), Some(b"\xe2"), CONTROL, CONTROL, Some(b" ")];
        run(&Odd::new(&texts, Some(3)), &row, width);
    }
}
