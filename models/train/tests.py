"""Tests of the parts that need no torch: python models/train/tests.py"""

import collections
import pathlib
import subprocess
import json
import unittest

import numpy as np

import duplicates
import examples
import licences
import sources
from vocabulary import Vocabulary

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "models/midline-boot-q4_0.gguf"
VOCABULARY = Vocabulary(MODEL)


def corpus(texts):
    """A corpus of some documents of Python."""
    made = object.__new__(examples.Corpus)
    ids = [np.array(VOCABULARY.encode(text), np.uint16) for text in texts]
    made.ids, made.starts = np.concatenate(ids), np.cumsum([0, *map(len, ids)])
    py, path = np.array(VOCABULARY.encode("py")), np.array(VOCABULARY.encode("a/b.py"))
    made.headers = [(np.tile(one, len(texts)), np.arange(len(texts) + 1) * len(one)) for one in (py, path)]
    made.vocabulary, made.newline = VOCABULARY, VOCABULARY.ids["\n"]
    return made


class Licences(unittest.TestCase):
    def test_only_permissive_choices(self):
        for text in ("MIT", "MIT OR Apache-2.0", "Apache-2.0 WITH LLVM-exception", "(MIT OR GPL-3.0) AND BSD-3-Clause", "MIT/Apache-2.0"):
            self.assertTrue(licences.is_permissive(text), text)
        for text in ("", "GPL-3.0", "MIT AND LGPL-2.1", "MPL-2.0", "proprietary"):
            self.assertFalse(licences.is_permissive(text), text)


class Sources(unittest.TestCase):
    def test_paths_that_are_left_out(self):
        for path in ("a/tests/b.py", "test_x.py", "a/vendor/b.js", "dist/index.js", "x.min.js", "x.d.ts", "a/_pb2.py", "src/tests.rs"):
            self.assertTrue(sources.LEFT_OUT.search(path), path)
        for path in ("src/latest.py", "lib/contest/a.js", "src/lib.rs", "distance/mod.rs"):
            self.assertFalse(sources.LEFT_OUT.search(path), path)

    def test_what_people_write(self):
        self.assertTrue(sources.is_written("def f(x):\n    return x\n" * 9))
        for text in ("x" * 500, "# @generated\nx = 1\n", "1,2,3,4,5,6\n" * 50, "# GNU General Public License\nx = 1\n"):
            self.assertFalse(sources.is_written(text))


class Duplicates(unittest.TestCase):
    def test_near_and_exact(self):
        lines = [f"value_{i} = compute_something({i})" for i in range(20)]
        seen = duplicates.Seen()
        self.assertTrue(seen.is_new("\n".join(lines)))
        self.assertFalse(seen.is_new("\n\n".join(lines)))
        self.assertFalse(seen.is_new("\n".join(lines[:15] + ["another = line_that_was_never_seen()"])))
        self.assertTrue(seen.is_new("\n".join(f"other_{i} = nothing_alike({i}, {i})" for i in range(20))))

    def test_runs_do_not_mind_white_space(self):
        text = "\n".join(f"a_long_enough_line_number({i})" for i in range(6))
        self.assertTrue(set(duplicates.runs(text)) & set(duplicates.runs("x = 1\n" + text.replace("\n", "\n\n    "))))
        self.assertEqual(list(duplicates.runs("a\nb\nc\nd\ne")), [])


class Tokens(unittest.TestCase):
    def test_lines_are_encoded_as_by_the_engine(self):
        program = ROOT / "target/release/midline"
        for path in (pathlib.Path(__file__), ROOT / "src/lib.rs", ROOT / "www/src/client/client.ts"):
            command = [program, "tokenize", "--json", "--model", MODEL, "--file", path]
            ids = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            self.assertEqual(VOCABULARY.encode(path.read_text()), ids, path)


class Rows(unittest.TestCase):
    TEXTS = [pathlib.Path(__file__).read_text(), (ROOT / "models/train/sources.py").read_text()]

    def test_prefix_middle_and_suffix_are_a_piece_of_the_document(self):
        random, made = np.random.default_rng(1), corpus(self.TEXTS)
        kinds = collections.Counter()
        for _ in range(300):
            ids, weights = examples.fill_in(made, random, 513)
            self.assertEqual(len(ids), len(weights))
            self.assertLessEqual(len(ids), 513)
            self.assertEqual(ids[:2], [VOCABULARY.fim_prefix, VOCABULARY.fim_suffix])
            self.assertEqual(ids[-1], VOCABULARY.end)
            middle = ids.index(VOCABULARY.fim_middle)
            text = ids[middle + 1 : -1]
            if VOCABULARY.meta_sep in text:
                kinds["header"] += 1
                text = text[text.index(VOCABULARY.meta_sep) + 1 :]
            suffix = VOCABULARY.decode(ids[2:middle]).decode()
            before = VOCABULARY.decode(text).decode()
            kinds["inside"] += not suffix.startswith("\n")
            self.assertTrue(any(before + suffix in document for document in self.TEXTS))
            # What the engine sees at a caret anywhere in the text: tokens of one text.
            self.assertEqual(text, VOCABULARY.encode(before))
        self.assertGreater(kinds["header"], 150)
        self.assertGreater(kinds["inside"], 30)

    def test_the_same_seed_gives_the_same_rows(self):
        rows = object.__new__(examples.Rows)
        rows.corpora, rows.shares, rows.length = [corpus(self.TEXTS)], np.array([1.0]), 512
        rows.end, rows.plain_share = VOCABULARY.end, 0.3
        first, second, other = rows.batch(5, 2, 1), rows.batch(5, 2, 1), rows.batch(6, 2, 1)
        self.assertTrue((first[0] == second[0]).all() and (first[1] == second[1]).all())
        self.assertFalse((first[0] == other[0]).all())
        self.assertEqual(first[0].shape, (2, 513))


if __name__ == "__main__":
    unittest.main()
