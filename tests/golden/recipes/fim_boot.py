#!/usr/bin/env python3
# Writes fim-boot.json: token ids of fill-in-the-middle prompts for the boot model and llama.cpp's greedy continuation
# (for information: a near tie may fall either way with other rounding; `gap` tells how near).
#
#   python3 fim_boot.py midline-boot-q4_0.gguf ../fim-boot.json
import json
import sys

import llama_ref

END, PRE, SUF, MID, LANG, META = 1, 2, 3, 4, 5, 6
MAX_NEW = 24
PROMPTS = [
    ("py", "src/geometry/shapes.py", "class Circle:\n    def __init__(self, radius):\n        self.radius = ",
     "\n\n    def area(self):\n        return 3.14159 * self.radius ** 2\n"),
    ("py", "app/main.py", "def add(a, b):\n    return ", "\n\nprint(add(1, 2))\n"),
    ("js", "lib/util/array.js", "export function sum(values) {\n  let total = 0;\n  for (const value of values) {\n    ",
     "\n  }\n  return total;\n}\n"),
    ("rs", "crates/core/src/point.rs", "impl Point {\n    pub fn norm(&self) -> f64 {\n        ", "\n    }\n}\n"),
    ("py", "t.py", "x = '<|fim_suffix|>é한👋'\n", ""),
]


def main(model_path: str, out_path: str) -> None:
    model = llama_ref.Model(model_path, 512)
    names = ["<|endoftext|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|lang_sep|>", "<|meta_sep|>"]
    assert [model.piece(i).decode() for i in (END, PRE, SUF, MID, LANG, META)] == names
    cases = []
    for extension, path, prefix, suffix in PROMPTS:
        parts = "/".join(path.split("/")[-3:])
        header = model.tokenize(extension) + [LANG] + model.tokenize(parts) + [META]
        p, s = model.tokenize(prefix), model.tokenize(suffix)
        prompts = {"prefix": p, "prefix_header": header + p, "psm": [PRE, *header, *p, SUF, *s, MID], "spm": [SUF, *s, PRE, *header, *p, MID]}
        case = {"extension": extension, "path": path, "prefix": prefix, "suffix": suffix, "formats": {}}
        for name, tokens in prompts.items():
            new, gaps = [], []
            while len(new) < MAX_NEW:
                logp = llama_ref.log_softmax(model.logits(tokens + new)[-1])
                second, first = logp.argsort()[-2:]
                new.append(int(first))
                gaps.append(round(float(logp[first] - logp[second]), 3))
                if new[-1] <= META:
                    break
            text = b"".join(model.piece(t) for t in new).decode(errors="replace")
            case["formats"][name] = {"tokens": tokens, "greedy": new, "gap": gaps, "greedy_text": text}
        cases.append(case)
    head = {"model": "midline-boot-q4_0.gguf", "reference": f"llama.cpp in xllamacpp {llama_ref.XLLAMACPP_VERSION}",
            "control": dict(zip(names, (END, PRE, SUF, MID, LANG, META)))}
    body = ",\n".join(json.dumps(c, ensure_ascii=False, separators=(",", ":")) for c in cases)
    with open(out_path, "w", encoding="utf-8") as file:
        file.write(json.dumps(head, indent=1)[:-2] + ',\n "cases": [\n' + body + "\n]}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
