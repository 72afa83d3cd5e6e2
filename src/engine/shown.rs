//! From what a search found to suggestions and to what is dropped.

use super::document::Document;
use super::request::{CompletionRequest, Dropped, Suggestion};
use crate::generation::{Answer, StopReason};
use crate::postprocess::{Context, Filters, Rejection, finish};

/// What decides about the texts that are shown.
#[derive(Debug)]
pub(super) struct Show {
    max_suggestions: usize,
    min_score: Option<f64>,
    filters: Filters,
}

/// Suggestions and what was dropped.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub suggestions: Vec<Suggestion>,
    pub dropped: Vec<Dropped>,
}

impl Show {
    /// What a request asks for; `least_score` is the model's bound, which holds where the request names none.
    pub fn new(request: &CompletionRequest, least_score: Option<f64>) -> Self {
        let CompletionRequest { max_suggestions, min_score, filters, .. } = *request;
        Self { max_suggestions, min_score: min_score.or(least_score), filters }
    }

    /// Different suggestions, in the order of the answers.
    pub fn of(&self, document: &Document, answers: &[Answer]) -> Shown {
        let mut shown = Shown::default();
        for answer in answers {
            self.add(&mut shown, document, answer);
        }
        shown
    }

    fn add(&self, shown: &mut Shown, document: &Document, answer: &Answer) {
        let (hypothesis, generated) = (answer.hypothesis, whole_characters(answer.bytes));
        let Document { prefix, suffix, crlf, language } = document;
        let is_cut_off = !answer.stop.is_some_and(StopReason::is_complete);
        let context = Context { prefix, suffix, language: *language, is_cut_off, filters: self.filters };
        let with_breaks = |text: String| if *crlf { text.replace('\n', "\r\n") } else { text };
        let score = hypothesis.score();
        let is_unlikely = self.min_score.is_some_and(|least| f64::from(score) < least);
        let finished = finish(&context, generated);
        match if is_unlikely { finished.and(Err(Rejection::LowScore)) } else { finished } {
            Ok(text) => {
                let text = with_breaks(text);
                let is_new = shown.suggestions.iter().all(|other| other.text != text);
                if is_new && shown.suggestions.len() < self.max_suggestions {
                    shown.suggestions.push(Suggestion { text, score, tokens: hypothesis.tokens.len() });
                }
            }
            Err(rejection) => {
                let dropped = Dropped { text: generated.to_owned(), reason: rejection.name() };
                if !shown.dropped.contains(&dropped) {
                    shown.dropped.push(dropped);
                }
            }
        }
    }
}

/// The text of an answer, up to where it stops being text: a budget can end inside a character, and a model can
/// choose bytes that are none.
pub(super) fn whole_characters(answer: &[u8]) -> &str {
    match std::str::from_utf8(answer) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&answer[..error.valid_up_to()]).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generation::Hypothesis;

    #[test]
    fn t32_an_answer_ends_where_it_stops_being_text() {
        assert_eq!(whole_characters("naïve 😀".as_bytes()), "naïve 😀");
        assert_eq!(whole_characters(&"naïve 😀".as_bytes()[..9]), "naïve ", "inside a character");
        assert_eq!(whole_characters(b"ok \xff then"), "ok ", "no character at all");
        assert_eq!(whole_characters(b"\x80"), "");
    }

    #[test]
    fn unlikely_answers_are_dropped_and_equal_ones_shown_once() {
        let likely = Hypothesis { tokens: vec![1, 2], log_prob: -1.0, ..Hypothesis::default() };
        let unlikely = Hypothesis { log_prob: -4.0, ..likely.clone() };
        let answer = |bytes, hypothesis| Answer { bytes, hypothesis, stop: None };
        let answers = [
            answer(b"a + b".as_slice(), &likely),
            answer(b"a + b  ", &likely),
            answer(b"a * b", &unlikely),
            answer(b"  ", &unlikely),
        ];
        let show_with = |min_score, of_model| {
            let request = CompletionRequest { max_suggestions: 8, min_score, ..CompletionRequest::default() };
            let shown = Show::new(&request, of_model).of(&Document::new(&request), &answers);
            let texts: Vec<_> = shown.suggestions.iter().map(|item| item.text.clone()).collect();
            (texts, shown.dropped.iter().map(|item| item.reason).collect::<Vec<_>>())
        };
        let show = |min_score| show_with(min_score, None);
        assert_eq!(show(None), (vec!["a + b".into(), "a * b".into()], vec!["blank"]));
        assert_eq!(show(Some(-0.5)), (vec!["a + b".into()], vec!["low-score", "blank"]));
        assert_eq!(show(Some(-0.4)), (vec![], vec!["low-score", "low-score", "low-score", "blank"]));
        // The model's bound holds where the request says nothing.
        assert_eq!(show_with(None, Some(-0.5)), show(Some(-0.5)));
        assert_eq!(show_with(Some(-0.5), Some(-0.4)), show(Some(-0.5)));
        assert_eq!(show_with(Some(f64::NEG_INFINITY), Some(-0.4)), show(None));
    }
}
