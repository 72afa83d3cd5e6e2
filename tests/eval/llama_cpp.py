#!/usr/bin/env python3
# Asks llama.cpp at the carets of E3, with the same weights and the same prompt ids: greedy, no healing, at most 48 tokens.
#
#   midline eval --model M --data FOLDER --limit N --prompts prompts.jsonl
#   python3 llama_cpp.py M prompts.jsonl [records.jsonl]
#
# Needs tests/golden/recipes/requirements.txt. Prints how many carets of each kind get the exact rest of the line; with
# the records of `midline eval`, also how many get it there, setting by setting, at the same carets.
import ctypes as c
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "golden" / "recipes"))
import llama_ref  # noqa: E402

MAX_NEW = 48
END_NAMES = ("<|endoftext|>", "<|im_end|>", "<|im_start|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>",
             "<|lang_sep|>", "<|meta_sep|>", "<file_sep>", "<repo_name>")
_remove = llama_ref._function("llama_memory_seq_rm", c.c_bool, c.c_void_p, c.c_int32, c.c_int32, c.c_int32)


class Greedy:
    """A model whose cache keeps what the next prompt begins with."""

    def __init__(self, path, n_ctx):
        self.model = llama_ref.Model(path, n_ctx, repack=True)
        self.memory = llama_ref._memory(self.model.context)
        self.cached = []
        ids = (self.model.tokenize(name, parse_special=True) for name in END_NAMES)
        self.ends = {found[0] for found in ids if len(found) == 1}

    def feed(self, tokens):
        """Decodes tokens after the cached ones; the most likely next token."""
        batch = llama_ref._batch_init(len(tokens), 0, 1)
        batch.n_tokens = len(tokens)
        for i, token in enumerate(tokens):
            batch.token[i], batch.pos[i], batch.n_seq_id[i] = token, len(self.cached) + i, 1
            batch.seq_id[i][0], batch.logits[i] = 0, int(i == len(tokens) - 1)
        status = llama_ref._decode(self.model.context, batch)
        llama_ref._batch_free(batch)
        assert status == 0, f"llama_decode: {status}"
        self.cached += tokens
        logits = llama_ref._logits_ith(self.model.context, -1)
        return int(llama_ref.np.ctypeslib.as_array(logits, shape=(self.model.n_vocab,)).argmax())

    def line(self, prompt):
        """The generated text up to the line break after its first line that is not blank."""
        kept = next((i for i, pair in enumerate(zip(self.cached, prompt)) if pair[0] != pair[1]),
                    min(len(self.cached), len(prompt)))
        kept = min(kept, len(prompt) - 1)
        _remove(self.memory, 0, kept, -1)
        del self.cached[kept:]
        token, text = self.feed(prompt[kept:]), b""
        for _ in range(MAX_NEW):
            if token in self.ends:
                break
            text += self.model.piece(token)
            start = len(text) - len(text.lstrip())
            if b"\n" in text[start:]:
                text = text[: text.index(b"\n", start)]
                break
            token = self.feed([token])
        return text.decode(errors="replace")


def settings_of(path):
    """First suggestions of E3 by setting and caret."""
    found = {}
    for line in Path(path).read_text("utf-8").splitlines():
        part, setting, caret = (json.loads(line)["key"].split("|", 2) + ["", ""])[:3]
        if part == "E3" and setting != "bits":
            shown = json.loads(line)["suggestions"]
            found.setdefault(setting, {})[caret] = shown[0][0] if shown else ""
    return found


def main(model, prompts, records=None):
    """Prints a line a setting: right answers of each kind of caret."""
    carets = [json.loads(line) for line in Path(prompts).read_text("utf-8").splitlines()]
    greedy = Greedy(model, max(len(caret["prompt"]) for caret in carets) + MAX_NEW + 1)
    answers = {"llama.cpp": {caret["id"]: greedy.line(caret["prompt"]) for caret in carets}}
    answers.update(settings_of(records) if records else {})
    for setting, texts in answers.items():
        row = []
        for kind in "abc":
            asked = [caret for caret in carets if caret["kind"] == kind and caret["id"] in texts]
            right = sum(texts[caret["id"]].rstrip() == caret["expected"] for caret in asked)
            row.append(f"({kind}) {right} of {len(asked)}")
        print(f"{setting}: {', '.join(row)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
