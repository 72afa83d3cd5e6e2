"""Rows of training: plain text, and fill-in-the-middle with the middle right behind the prefix.

The form is the contiguous suffix-first one (Bavarian et al., arXiv 2207.14255, SPM; as Code Llama documents it):

    <|fim_prefix|><|fim_suffix|> suffix <|fim_middle|> header prefix middle <|endoftext|>

Prefix and middle are tokenised as one text. Where the caret stands in it cannot be seen, so that every caret, healed or not,
meets in use what it met in training: healing goes back to a token boundary of just this text.
"""

import pathlib
import re

import numpy as np

PLAIN, HEADER = 0.3, 0.7
MAX_SUFFIX = 128
# Most windows are short, so that a row holds several middles: where a middle ends is what a suffix teaches.
SHORT, SHORT_TEXT, SHORT_SUFFIX = 0.7, (16, 96), (8, 48)
# How often a middle ends inside its line, and how many of these ends stand before what closes something.
INSIDE, BEFORE_CLOSER = 0.25, 0.6
END_WEIGHT, END_TOKENS = 3.0, 10
MIN_TOKENS = 64
SHARES = {"python": 3.0, "javascript": 1.3, "typescript": 0.7, "rust": 2.0}
CLOSER = re.compile(r"[)\]};,:'\"]")


class Corpus:
    """The token arrays of a language."""

    def __init__(self, path, vocabulary):
        with np.load(path) as arrays:
            self.ids, self.starts = arrays["ids"], arrays["ids_starts"]
            self.headers = [(arrays[name], arrays[f"{name}_starts"]) for name in ("extensions", "paths")]
        self.vocabulary = vocabulary
        self.newline = vocabulary.ids["\n"]

    def header(self, document):
        (extensions, first), (paths, second) = self.headers
        extension = extensions[first[document] : first[document + 1]].tolist()
        path = paths[second[document] : second[document + 1]].tolist()
        return [*extension, self.vocabulary.lang_sep, *path, self.vocabulary.meta_sep]

    def choose(self, random):
        """(document, its tokens): longer ones more often."""
        place = random.integers(len(self.ids))
        document = int(np.searchsorted(self.starts, place, "right")) - 1
        return document, self.ids[self.starts[document] : self.starts[document + 1]]


def plain(corpus, random, room):
    """Text from a line start on, with an end where the document ends."""
    document, ids = corpus.choose(random)
    out = corpus.header(document) if random.random() < HEADER else []
    lines = np.concatenate(([0], np.flatnonzero(ids == corpus.newline) + 1))
    start = 0 if random.random() < 0.3 else int(random.choice(lines))
    out += ids[start : start + room].tolist()
    out.append(corpus.vocabulary.end)
    out = out[:room]
    return out, [1.0] * len(out)


def fill_in(corpus, random, room):
    """A prefix and a middle that end where a suffix begins, which stands first."""
    vocabulary = corpus.vocabulary
    document, ids = corpus.choose(random)
    ends = np.flatnonzero(ids == corpus.newline)
    # Ends of lines that are not blank.
    ends = ends[np.concatenate(([ends[0] > 0], ends[1:] > ends[:-1] + 1))] if len(ends) else ends
    if not len(ends):
        return plain(corpus, random, room)
    end = int(random.choice(ends))
    before, after = ids[:end], ids[end:]
    tail, rest = [], []
    if random.random() < INSIDE:
        line_start = int(np.flatnonzero(np.concatenate(([True], before == corpus.newline)))[-1])
        line = vocabulary.decode(before[line_start:].tolist()).decode("utf-8", "ignore")
        indentation = len(line) - len(line.lstrip())
        places = [found.start() for found in CLOSER.finditer(line, indentation + 1)]
        if not places or random.random() > BEFORE_CLOSER:
            places = range(indentation + 1, len(line))
        if len(places):
            place = int(random.choice(places))
            tail, rest = vocabulary.encode(line[:place]), vocabulary.encode(line[place:])
            before = before[:line_start]
    header = corpus.header(document) if random.random() < HEADER else []
    room -= 4 + len(header)
    is_short = random.random() < SHORT
    sizes = SHORT_SUFFIX if is_short else (4, min(MAX_SUFFIX, room // 3) + 1)
    size = 0 if random.random() < 0.05 else min(int(random.integers(*sizes)), room // 2)
    suffix = (rest + after[:size].tolist())[:size]
    if size < len(rest) + len(after):
        breaks = [place for place, id in enumerate(suffix) if id == corpus.newline and place >= size // 2]
        suffix = suffix[: breaks[-1] + 1] if breaks else suffix
    share = int((room - len(suffix)) * random.uniform(0.4, 1.0))
    most = (min(share, int(random.integers(*SHORT_TEXT))) if is_short else share) - len(tail)
    start = max(0, len(before) - max(most, 1))
    if start > 0:
        lines = np.flatnonzero(before[start:] == corpus.newline)
        start = start + int(lines[0]) + 1 if len(lines) else start
    text = [*before[start:].tolist(), *tail][-(room - len(suffix)) :]
    out = [vocabulary.fim_prefix, vocabulary.fim_suffix, *suffix, vocabulary.fim_middle, *header, *text, vocabulary.end]
    weights = [1.0] * len(out)
    for place in range(max(0, len(out) - END_TOKENS), len(out)):
        weights[place] = END_WEIGHT
    return out, weights


class Rows:
    """Batches of token ids and of weights of the loss, the same ones for the same seed."""

    def __init__(self, folder, split, vocabulary, length, plain_share=PLAIN):
        paths = {language: pathlib.Path(folder) / f"{split}-{language}.npz" for language in SHARES}
        self.corpora = [Corpus(path, vocabulary) for path in paths.values() if path.exists()]
        shares = np.array([SHARES[language] for language, path in paths.items() if path.exists()])
        self.shares, self.length, self.end, self.plain_share = shares / shares.sum(), length, vocabulary.end, plain_share

    def row(self, random):
        """Examples one after the other, as many as fit: [length + 1] ids and weights."""
        ids, weights = [], []
        while (room := self.length + 1 - len(ids)) >= MIN_TOKENS:
            corpus = self.corpora[random.choice(len(self.corpora), p=self.shares)]
            make = plain if random.random() < self.plain_share else fill_in
            more, their_weights = make(corpus, random, room)
            ids += more
            weights += their_weights
        padding = self.length + 1 - len(ids)
        return ids + [self.end] * padding, weights + [0.0] * padding

    def batch(self, step, size, seed):
        """[size, length + 1] ids and weights of a step."""
        random = np.random.default_rng((seed, step))
        rows = [self.row(random) for _ in range(size)]
        return np.array([ids for ids, _ in rows], np.int64), np.array([weights for _, weights in rows], np.float32)
