"""Exact and near duplicates, and texts that evaluation sets hold too."""

import gzip
import hashlib
import json
import pathlib

RUN = 4  # lines of a run
RUN_CHARACTERS = 100
NEAR = 0.6


def _hash(text):
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def lines_of(text):
    """Lines without white space around them, blank ones left out."""
    return [line for line in map(str.strip, text.split("\n")) if line]


def runs(text):
    """Hashes of the runs of lines in a text that are long enough to be no coincidence."""
    lines = lines_of(text)
    for start in range(len(lines) - RUN + 1):
        run = "\n".join(lines[start : start + RUN])
        if len(run) >= RUN_CHARACTERS:
            yield _hash(run)


class Seen:
    """Lines met so far: a text of which most longer lines are known is a near duplicate."""

    def __init__(self):
        self.lines = set()
        self.texts = set()

    def is_new(self, text):
        """Whether a text is neither an exact nor a near duplicate; remembers it if so."""
        lines = lines_of(text)
        whole = _hash("\n".join(lines))
        if whole in self.texts:
            return False
        hashes = {hash(line) for line in lines if len(line) >= 24}
        known = sum(one in self.lines for one in hashes)
        if hashes and known > NEAR * len(hashes):
            return False
        self.texts.add(whole)
        self.lines |= hashes
        return True


def _strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def evaluation_runs(folders):
    """Runs of every text below some folders: JSON lines (also gzipped) and source files."""
    found = set()
    for path in (path for folder in folders for path in pathlib.Path(folder).rglob("*") if path.is_file()):
        if path.name.endswith(".jsonl.gz"):
            for line in gzip.open(path, "rt", encoding="utf-8"):
                record = json.loads(line)
                texts = list(_strings(record))
                texts.append("".join(str(record.get(key, "")) for key in ("prompt", "canonical_solution", "suffix")))
                for text in texts:
                    found.update(runs(text))
        elif path.suffix in {".py", ".js", ".mjs", ".ts", ".tsx", ".rs"}:
            found.update(runs(path.read_text("utf-8", "replace")))
    return found
