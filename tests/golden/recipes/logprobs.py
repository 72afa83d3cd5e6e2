#!/usr/bin/env python3
# Writes logprobs-<id>.json: for every text the token ids and, per position, what llama.cpp says about the next token
# (teacher forcing), once on the model as it is and once on the same weights expanded to F32 (see expand_f32.py), where
# llama.cpp does not round activations to 8 bits. NumPy in exact_ref.py checks the second.
#
#   python3 logprobs.py midline-boot-q4_0.gguf midline-boot.f32.gguf ../logprobs-boot.json
#   python3 logprobs.py SmolLM2-135M-Instruct.Q4_1.gguf SmolLM2-135M-Instruct.f32.gguf ../logprobs-smollm2.json
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import exact_ref
import llama_ref

N_CTX = 512
TEXTS = Path(__file__).parent.parent / "texts"


def next_token_facts(logits: np.ndarray, tokens: list[int], prefix: str = "") -> dict:
    """Entry i speaks of position i predicting tokens[i + 1]."""
    logp = llama_ref.log_softmax(logits[:-1])
    actual = logp[np.arange(len(tokens) - 1), tokens[1:]]
    best = np.sort(logp, axis=-1)[:, -2:]
    return {
        prefix + "logprob": [round(float(x), 4) for x in actual],
        prefix + "top1": [int(i) for i in logp.argmax(axis=-1)],
        prefix + "top1_gap": [round(float(b - a), 4) for a, b in best],
    }


def main(model_path: str, f32_path: str, out_path: str) -> None:
    model = llama_ref.Model(model_path, N_CTX)
    kv = llama_ref.log_lines("llama_kv_cache: size")[-1]
    flash = llama_ref.log_lines("flash_attn  ")[-1]
    assert "K (f32)" in kv and "V (f32)" in kv and flash.endswith("disabled"), (kv, flash)
    repacked = llama_ref.Model(model_path, N_CTX, repack=True)
    one_by_one = llama_ref.Model(model_path, N_CTX, one_by_one=True)
    f16_cache = llama_ref.Model(model_path, N_CTX, kv_type=1)
    expanded = llama_ref.Model(f32_path, N_CTX)
    exact = exact_ref.ExactLlama(model_path, np.float32)

    texts, noise = [], {"repacked": [], "one_by_one": [], "f16_kv": [], "f32_weights": []}
    numpy_differences = []
    equal = {name: [] for name in noise}
    for path in sorted(TEXTS.iterdir()):
        text = path.read_bytes().decode()
        tokens = model.tokenize(text)
        assert len(tokens) <= N_CTX, (path.name, len(tokens))
        entry = {"file": f"texts/{path.name}", "tokens": tokens}
        entry |= next_token_facts(model.logits(tokens), tokens)
        entry |= next_token_facts(expanded.logits(tokens), tokens, "f32_")
        checked = next_token_facts(exact.logits(tokens), tokens)
        numpy_differences += list(np.abs(np.subtract(checked["logprob"], entry["f32_logprob"])))
        others = {
            "repacked": next_token_facts(repacked.logits(tokens), tokens),
            "one_by_one": next_token_facts(one_by_one.logits(tokens), tokens),
            "f16_kv": next_token_facts(f16_cache.logits(tokens), tokens),
            "f32_weights": {k.removeprefix("f32_"): v for k, v in entry.items() if k.startswith("f32_")},
        }
        for name, other in others.items():
            noise[name] += list(np.abs(np.subtract(other["logprob"], entry["logprob"])))
            equal[name] += [a == b for a, b in zip(other["top1"], entry["top1"])]
        texts.append(entry)
        print(path.name, len(tokens), {k: round(float(np.mean(v)), 5) for k, v in noise.items()}, flush=True)

    result = {
        "model": Path(model_path).name,
        "sha256": hashlib.sha256(Path(model_path).read_bytes()).hexdigest(),
        "reference": f"llama.cpp in xllamacpp {llama_ref.XLLAMACPP_VERSION}",
        "settings": {"n_ctx": N_CTX, "n_batch": N_CTX, "n_ubatch": N_CTX, "threads": 1, "kv_type": "f32",
                     "flash_attention": False, "repacked_weights": False},
        "bos_prepended": False,
        "model_adds_bos": model.adds_bos,
        # How far llama.cpp is from itself: other kernels, one token at a time, an F16 cache, unrounded activations.
        "noise": {name: {"mean_abs_logprob_difference": round(float(np.mean(noise[name])), 5),
                         "max_abs_logprob_difference": round(float(np.max(noise[name])), 4),
                         "top1_equal": round(float(np.mean(equal[name])), 5), "positions": len(equal[name])}
                  for name in noise},
        "numpy_against_f32_weights": {"mean_abs_logprob_difference": round(float(np.mean(numpy_differences)), 6),
                                      "max_abs_logprob_difference": round(float(np.max(numpy_differences)), 4)},
        "texts": texts,
    }
    head = json.dumps({k: v for k, v in result.items() if k != "texts"}, indent=1)[:-2]
    body = ",\n".join(json.dumps(t, separators=(",", ":")) for t in texts)
    Path(out_path).write_text(f'{head},\n "texts": [\n{body}\n]}}\n')
    print(json.dumps({k: result[k] for k in ("noise", "numpy_against_f32_weights")}, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
