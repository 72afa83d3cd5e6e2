//! The search over a vocabulary of a few letters.

use super::*;

struct Letters;

impl Vocabulary for Letters {
    fn bytes(&self, token: u32) -> &[u8] {
        [b"a".as_slice(), b" b", b"\n", b"", b""][token as usize]
    }

    fn starting_with(&self, bytes: &[u8]) -> &[u32] {
        match bytes {
            b"a" => &[0],
            b" " | b" b" => &[1],
            _ => &[],
        }
    }

    fn is_end(&self, token: u32) -> bool {
        token == 3
    }

    fn banned(&self) -> &[u32] {
        &[4]
    }
}

fn search(width: usize, max_iterations: usize, healed: &[u8]) -> BeamSearch {
    let options = BeamOptions { width, max_iterations, ..BeamOptions::default() };
    let ending = Ending { may_break_first: true, ..Ending::default() };
    BeamSearch::new(options, ending, healed.to_vec())
}

fn choose(search: &mut BeamSearch, logits: &[f32]) -> Decision {
    let log_sum_exp = |row: &[f32]| row.iter().filter(|x| !x.is_nan()).map(|x| x.exp()).sum::<f32>().ln();
    search.choose(logits, &log_sum_exp, &Letters)
}

fn feed(steps: &[(usize, u32)]) -> Decision {
    Decision::Feed(steps.iter().map(|&(parent, token)| Step { parent, token }).collect())
}

fn text(search: &BeamSearch) -> Vec<&[u8]> {
    search.answers().into_iter().map(|answer| answer.bytes).collect()
}

#[test]
fn one_beam_takes_the_best_allowed_token_and_the_first_of_equals() {
    let mut greedy = search(1, 8, b"");
    assert_eq!(choose(&mut greedy, &[1.0, 1.0, 0.0, 0.0, 9.0]), feed(&[(0, 0)]));
    assert_eq!(choose(&mut greedy, &[f32::NAN, 1.0, 0.0, 0.0, 9.0]), feed(&[(0, 1)]));
    assert_eq!(text(&greedy), [b"a b"]);
    assert_eq!(greedy.iterations(), 2);
}

#[test]
fn one_beam_stops_for_each_reason() {
    let line = choose(&mut search(1, 8, b""), &[0.0, 0.0, 5.0, 0.0, 0.0]);
    assert_eq!(line, feed(&[(0, 2)]), "a break may come first at the end of a line");
    let stop = |mut search: BeamSearch, logits: [f32; 5]| choose(&mut search, &logits);
    assert_eq!(stop(search(1, 8, b""), [0.0, 0.0, 0.0, 5.0, 0.0]), Decision::Stop(StopReason::EndToken));
    assert_eq!(stop(search(1, 1, b""), [5.0, 0.0, 0.0, 0.0, 0.0]), Decision::Stop(StopReason::TokenBudget));
    assert_eq!(stop(search(1, 8, b""), [f32::NAN; 5]), Decision::Stop(StopReason::NoToken));
    let mut greedy = search(1, 8, b"");
    choose(&mut greedy, &[5.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(choose(&mut greedy, &[0.0, 0.0, 5.0, 0.0, 0.0]), Decision::Stop(StopReason::Line));
    assert_eq!(text(&greedy), [b"a"]);
}

#[test]
fn what_stands_before_the_caret_is_generated_first_and_not_answered() {
    let mut greedy = search(1, 8, b"a ");
    // The best token is no continuation of what stands there; of the allowed ones only one is left.
    assert_eq!(choose(&mut greedy, &[1.0, 2.0, 9.0, 9.0, 9.0]), feed(&[(0, 0)]));
    assert_eq!(text(&greedy), [b""]);
    assert_eq!(choose(&mut greedy, &[1.0, 2.0, 9.0, 9.0, 9.0]), feed(&[(0, 1)]));
    assert_eq!(text(&greedy), [b"b"], "the token reached over the caret");
    assert_eq!(greedy.answers()[0].hypothesis.score(), 0.0, "no choice, no doubt");
    let stuck = choose(&mut search(1, 8, b"z"), &[1.0; 5]);
    assert_eq!(stuck, Decision::Stop(StopReason::NoToken));
}

#[test]
fn two_beams_find_what_one_misses() {
    // "a" is a little likelier at first, but only " b" leads to a likely end.
    let mut beams = search(2, 8, b"");
    assert_eq!(choose(&mut beams, &[1.1, 1.0, -9.0, -9.0, -9.0]), feed(&[(0, 0), (0, 1)]));
    let rows = [[0.0, 0.0, 0.0, 0.0, 0.0], [-9.0, -9.0, 9.0, -9.0, -9.0]].concat();
    assert_eq!(choose(&mut beams, &rows), Decision::Stop(StopReason::Line), "the others are too unlikely");
    assert_eq!(text(&beams)[0], b" b");
}

#[test]
fn ended_hypotheses_do_not_take_the_place_of_open_ones() {
    let mut beams = search(2, 8, b"");
    choose(&mut beams, &[1.0, 1.0, -9.0, -9.0, -9.0]);
    let rows = [[0.5, 0.4, 0.6, -9.0, -9.0], [0.3, 0.2, 0.1, -9.0, -9.0]].concat();
    // Log-probabilities of the rows: -1.10 -1.20 -1.00 and -1.00 -1.10 -1.20.
    assert_eq!(choose(&mut beams, &rows), feed(&[(1, 0), (0, 0)]));
    assert_eq!(text(&beams)[0], b"a", "the first has ended");
}

#[test]
fn equal_hypotheses_keep_the_order_of_their_parents_and_tokens() {
    let run = || {
        let mut beams = search(2, 4, b"");
        choose(&mut beams, &[1.0, 1.0, 1.0, -9.0, 9.0]);
        choose(&mut beams, &[1.0, 1.0, 1.0, 1.0, 9.0].repeat(2));
        beams.answers().iter().map(|answer| answer.hypothesis.tokens.clone()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
    assert_eq!(run()[..2], [vec![0, 2], vec![0, 3]], "among equals the first parent, then the smaller id");
}

#[test]
fn lines_that_are_not_collected_go_on_and_are_cut_afterwards() {
    let options =
        BeamOptions { width: 1, max_iterations: 3, collects_lines: false, ..BeamOptions::default() };
    let mut open = BeamSearch::new(options, Ending::default(), Vec::new());
    assert_eq!(choose(&mut open, &[5.0, 0.0, 0.0, 0.0, 0.0]), feed(&[(0, 0)]));
    assert_eq!(choose(&mut open, &[0.0, 0.0, 5.0, 0.0, 0.0]), feed(&[(0, 2)]));
    assert_eq!(choose(&mut open, &[5.0, 0.0, 0.0, 0.0, 0.0]), Decision::Stop(StopReason::TokenBudget));
    assert_eq!(text(&open), [b"a"]);
    assert_eq!(open.answers()[0].hypothesis.tokens, [0, 2, 0]);
}

#[test]
fn the_length_exponent_decides_between_short_and_long() {
    let best = |length_exponent| {
        let options = BeamOptions { width: 2, give_up_ratio: 1e9, length_exponent, ..BeamOptions::default() };
        let mut beams = BeamSearch::new(options, Ending::default(), Vec::new());
        // The end at once has -0.7 with one token; "a", "a" and the line's end have the same with three.
        choose(&mut beams, &[2.0, -9.0, -9.0, 2.0, -9.0]);
        choose(&mut beams, &[9.0, -9.0, -9.0, -9.0, -9.0].repeat(2));
        choose(&mut beams, &[-9.0, -9.0, 9.0, -9.0, -9.0].repeat(2));
        text(&beams)[0].to_vec()
    };
    assert_eq!(best(0.0), b"");
    assert_eq!(best(1.0), b"aa");
}
