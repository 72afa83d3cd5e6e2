#!/usr/bin/env python3
# Writes small random LLaMA GGUFs in F32 and, where the widths allow it, in F16, Q8_0, Q4_0 and Q4_1, with the logits of
# llama.cpp and of the exact NumPy reference for fixed token sequences. Weights are random: compare logits, never text.
#
#   python3 random_models.py ../random
import json
import sys
from pathlib import Path

import gguf
import libgguf
import numpy as np

import exact_ref
import llama_ref

T = gguf.GGMLQuantizationType
# Optional keys that a variant leaves out must be filled in by the reader with the format's defaults.
MODELS = {
    # Grouped heads, tied output, SentencePiece-style vocabulary.
    "gqa-tied": dict(d_model=64, n_layers=2, n_heads=4, n_kv_heads=2, d_ff=96, context=256, rope_base=10_000.0, eps=1e-5,
                     vocab="llama", tied=True, quantised=True),
    # Three query heads per key head, separate output, other rotary base and epsilon, byte-level BPE vocabulary.
    "gqa-untied": dict(d_model=96, n_layers=2, n_heads=6, n_kv_heads=2, d_ff=32, context=512, rope_base=500_000.0, eps=1e-6,
                       vocab="gpt2", tied=False, quantised=True),
    # As many key heads as query heads; no head_count_kv, rope.freq_base or rope.dimension_count in the metadata.
    "mha-defaults": dict(d_model=64, n_layers=3, n_heads=4, n_kv_heads=4, d_ff=32, context=96, rope_base=None, eps=1e-3,
                         vocab="llama", tied=True, quantised=False),
    # Widths that are multiples of no block or tile.
    "odd-widths": dict(d_model=60, n_layers=2, n_heads=6, n_kv_heads=2, d_ff=50, context=64, rope_base=1_000_000.0, eps=1e-5,
                       vocab="gpt2", tied=False, quantised=False),
    # head_dim given by attention.key_length and different from d_model / n_heads.
    "key-length": dict(d_model=64, n_layers=2, n_heads=4, n_kv_heads=2, head_dim=32, d_ff=32, context=128, rope_base=10_000.0,
                       eps=1e-5, vocab="gpt2", tied=True, quantised=False),
}
QUANTISED = {"f16": T.F16, "q8_0": T.Q8_0, "q4_0": T.Q4_0, "q4_1": T.Q4_1}
WORDS = ["de", "fn", "le", "re", "if", "in", "er", "or", "at", "an", "ne", "se", "st", "on", "en", "th", "la", "un", "it", "al",
         "to", "us", "ex", "im", "id", "ok", "is", "of", "as", "me"]


def llama_vocab(writer):
    """SentencePiece-style: <unk> <s> </s>, 256 byte tokens, letters, two-letter merges by score."""
    letters = sorted(set("▁" + "".join(WORDS)))
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)] + letters + WORDS
    kind = gguf.TokenType
    types = [kind.UNKNOWN, kind.CONTROL, kind.CONTROL] + [kind.BYTE] * 256 + [kind.NORMAL] * (len(letters) + len(WORDS))
    scores = [0.0] * 259 + [-1000.0 - i for i in range(len(letters))] + [-1.0 - i for i in range(len(WORDS))]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores(scores)
    writer.add_token_types([int(t) for t in types])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    return len(tokens)


def gpt2_vocab(writer):
    """Byte-level BPE: 256 byte tokens in the usual printable alphabet, one merge per word, one control token."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    alphabet = [chr(b) if b in plain else chr(256 + i) for b, i in
                ((b, sum(1 for c in range(b) if c not in plain)) for b in range(256))]
    tokens = alphabet + WORDS + ["<|endoftext|>"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([int(gguf.TokenType.NORMAL)] * (len(tokens) - 1) + [int(gguf.TokenType.CONTROL)])
    writer.add_token_merges([f"{w[0]} {w[1]}" for w in WORDS])
    writer.add_eos_token_id(len(tokens) - 1)
    writer.add_add_bos_token(False)
    return len(tokens)


def random_tensors(m, vocab_size, rng):
    d, ff = m["d_model"], m["d_ff"]
    head_dim = m.get("head_dim", d // m["n_heads"])
    q, kv = m["n_heads"] * head_dim, m["n_kv_heads"] * head_dim
    matrix = lambda rows, cols, gain=1.0: rng.normal(0, gain / np.sqrt(cols), (rows, cols)).astype(np.float32)  # noqa: E731
    norm = lambda: rng.uniform(0.6, 1.4, d).astype(np.float32)  # noqa: E731
    tensors = {"token_embd.weight": rng.normal(0, 0.35, (vocab_size, d)).astype(np.float32), "output_norm.weight": norm()}
    if not m["tied"]:
        tensors["output.weight"] = matrix(vocab_size, d, 3.0)
    for i in range(m["n_layers"]):
        blk = f"blk.{i}."
        tensors[blk + "attn_norm.weight"] = norm()
        # Larger query and key gains, so that attention is far from uniform and positions matter.
        tensors[blk + "attn_q.weight"], tensors[blk + "attn_k.weight"] = matrix(q, d, 1.5), matrix(kv, d, 1.5)
        tensors[blk + "attn_v.weight"], tensors[blk + "attn_output.weight"] = matrix(kv, d), matrix(d, q)
        tensors[blk + "ffn_norm.weight"] = norm()
        tensors[blk + "ffn_gate.weight"], tensors[blk + "ffn_up.weight"] = matrix(ff, d, 1.5), matrix(ff, d)
        tensors[blk + "ffn_down.weight"] = matrix(d, ff)
    return tensors


def write(path, name, m, tensors, kind):
    w = gguf.GGUFWriter(str(path), "llama")
    w.add_name(f"random {name}")
    w.add_context_length(m["context"])
    w.add_embedding_length(m["d_model"])
    w.add_block_count(m["n_layers"])
    w.add_feed_forward_length(m["d_ff"])
    w.add_head_count(m["n_heads"])
    w.add_layer_norm_rms_eps(m["eps"])
    if m["n_kv_heads"] != m["n_heads"]:
        w.add_head_count_kv(m["n_kv_heads"])
    if m["rope_base"] is not None:
        w.add_rope_freq_base(m["rope_base"])
        w.add_rope_dimension_count(m.get("head_dim", m["d_model"] // m["n_heads"]))
    if "head_dim" in m:
        w.add_key_length(m["head_dim"])
        w.add_value_length(m["head_dim"])
    size = (llama_vocab if m["vocab"] == "llama" else gpt2_vocab)(w)
    types = {}
    for tensor, data in tensors(size).items():
        t = kind
        if data.ndim == 1:
            t = T.F32
        elif kind in (T.Q4_0, T.Q4_1) and tensor == ("token_embd.weight" if m["tied"] else "output.weight"):
            t = T.Q8_0  # as published 4-bit files keep the output matrix finer
        types[tensor] = t.name
        if t in (T.F32, T.F16):
            w.add_tensor(tensor, data.astype(np.float32 if t == T.F32 else np.float16))
        else:
            w.add_tensor(tensor, libgguf.quantize_rows(data, int(t)), raw_dtype=t)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    return size, types


def main(folder: str) -> None:
    out = Path(folder)
    out.mkdir(exist_ok=True)
    index = []
    for number, (name, m) in enumerate(MODELS.items()):
        kinds = {"f32": T.F32} | (QUANTISED if m["quantised"] else {})
        for suffix, kind in kinds.items():
            path = out / f"{name}-{suffix}.gguf"
            rng = np.random.default_rng(1000 + number)
            vocab_size, types = write(path, name, m, lambda size: random_tensors(m, size, rng), kind)
            draw = np.random.default_rng(2000 + number)
            sequences = [draw.integers(0, vocab_size, n).tolist() for n in ((40, 41) if kind == T.F32 else (40,))]
            model, exact = llama_ref.Model(str(path), 64), exact_ref.ExactLlama(str(path))
            entry = {"file": path.name, "vocab_size": vocab_size, "tied_output": m["tied"],
                     "tensor_types": sorted(set(types.values())), "sequences": []}
            for i, tokens in enumerate(sequences):
                got, want = model.logits(tokens), exact.logits(tokens)
                files = {"logits": f"{path.stem}-{i}.f32"}
                got.astype("<f4").tofile(out / files["logits"])
                if kind != T.F32:
                    files["exact_logits"] = f"{path.stem}-{i}-exact.f32"
                    want.astype("<f4").tofile(out / files["exact_logits"])
                error = np.abs(got - want)
                entry["sequences"].append({
                    "tokens": tokens, **files, "logits_std": round(float(want.std()), 4),
                    "max_abs_difference_to_exact": float(f"{error.max():.3g}"),
                    "rms_difference_to_exact": float(f"{np.sqrt((error ** 2).mean()):.3g}")})
            index.append(entry)
            print(path.name, path.stat().st_size, vocab_size, [s["max_abs_difference_to_exact"] for s in entry["sequences"]],
                  [s["rms_difference_to_exact"] for s in entry["sequences"]], [s["logits_std"] for s in entry["sequences"]])
    head = {"reference": f"llama.cpp in xllamacpp {llama_ref.XLLAMACPP_VERSION}",
            "settings": {"threads": 1, "kv_type": "f32", "flash_attention": False, "repacked_weights": False},
            "layout": "float32 little-endian, row-major [seq_len, vocab_size], row i = logits after tokens[0..=i]"}
    body = ",\n".join(json.dumps(e, separators=(",", ":")) for e in index)
    (out / "index.json").write_text(json.dumps(head, indent=1)[:-2] + ',\n "models": [\n' + body + "\n]}\n")


if __name__ == "__main__":
    main(sys.argv[1])
