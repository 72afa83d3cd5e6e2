#!/usr/bin/env python3
# Writes float inputs, the block bytes the C reference quantisers make of them, and the floats it reads back.
#
#   python3 quant_blocks.py ../quant
import json
import sys
from pathlib import Path

import gguf
import libgguf
import numpy as np

T = gguf.GGMLQuantizationType
BLOCK = 32
TYPES = {"q4_0": T.Q4_0, "q4_1": T.Q4_1, "q8_0": T.Q8_0}


def inputs():
    rng = np.random.default_rng(7)
    f32 = lambda x: np.asarray(x, dtype=np.float32).reshape(-1, BLOCK)  # noqa: E731
    ramp = np.arange(BLOCK)
    yield "normal", "Gaussian, standard deviations from 0.001 to 30", f32(
        rng.normal(0, 1, (64, BLOCK)) * np.logspace(-3, 1.5, 64)[:, None])
    yield "zero", "all +0, all -0, one non-zero element", f32(
        [np.zeros(BLOCK), -np.zeros(BLOCK), np.eye(1, BLOCK, 5)[0] * 3.5, np.eye(1, BLOCK, 31)[0] * -3.5])
    yield "constant", "every element of a block equal", f32([[c] * BLOCK for c in (1, -1, 0.1, -0.1, 7.5, -8, 127, 1e-3)])
    yield "ramp", "rising, falling, all positive, all negative", f32(
        [ramp - 16, 16 - ramp, ramp + 1, -ramp - 1, ramp / 31, (ramp - 31) / 31])
    # The sign of the scale of Q4_0 comes from the element of largest magnitude: here two share it.
    yield "magnitude-tie", "the largest magnitude occurs with both signs", f32(
        [np.where(ramp == 3, 2.0, np.where(ramp == 20, -2.0, 0.1)), np.where(ramp == 3, -2.0, np.where(ramp == 20, 2.0, 0.1)),
         np.where(ramp % 2 == 0, 4.0, -4.0), np.where(ramp % 2 == 0, -4.0, 4.0)])
    yield "rounding-tie", "elements half way between two levels of the 4-bit and the 8-bit grid", f32(
        [np.where(ramp == 0, -8.0, (ramp - 16) / 2), np.where(ramp == 0, 8.0, (ramp - 16) / 2),
         np.where(ramp == 0, 127.0, ramp - 15.5), np.where(ramp == 0, -127.0, ramp - 15.5),
         np.where(ramp == 0, 15.0, np.where(ramp == 1, 0.0, (ramp % 30) / 2))])
    yield "outlier", "one element a thousand times larger than the rest", f32(
        rng.normal(0, 1, (8, BLOCK)) * np.where(ramp[None, :] == np.arange(8)[:, None] * 4, 1000.0, 1.0))
    yield "tiny", "scales that are subnormal or zero in half precision", f32(
        rng.normal(0, 1, (12, BLOCK)) * np.logspace(-9, -3, 12)[:, None])
    yield "huge", "magnitudes up to 60,000", f32(rng.uniform(-1, 1, (6, BLOCK)) * np.array([1e3, 3e3, 1e4, 3e4, 5e4, 6e4])[:, None])


def raw_blocks(kind: str, rng):
    """Arbitrary bytes as blocks, with any finite half-precision scale (negative and subnormal too)."""
    n, size = 64, {"q4_0": 18, "q4_1": 20, "q8_0": 34}[kind]
    blocks = rng.integers(0, 256, (n, size), dtype=np.uint8)
    for offset in range(0, 4 if kind == "q4_1" else 2, 2):
        half = rng.integers(0, 0x7C00, n, dtype=np.uint16) | (rng.integers(0, 2, n, dtype=np.uint16) << 15)
        blocks[:, offset:offset + 2] = half.astype("<u2").view(np.uint8).reshape(n, 2)
    return blocks


def half_cases():
    edges = [0.0, -0.0, 1.0, -1.0, 65504.0, 65519.99, 65520.0, -65520.0, 1e30, 2.0 ** -14, 2.0 ** -24, 2.0 ** -25, 1.5 * 2.0 ** -25,
             2.0 ** -26, 1 + 2.0 ** -11, 1 + 3 * 2.0 ** -11, 1 + 2.0 ** -11 + 2.0 ** -20, 0.1, 1 / 3, np.inf, -np.inf]
    rng = np.random.default_rng(11)
    spread = rng.normal(0, 1, 491) * 2.0 ** rng.integers(-28, 17, 491)
    return np.concatenate([edges, spread]).astype(np.float32)


def main(folder: str) -> None:
    out = Path(folder)
    out.mkdir(exist_ok=True)
    cases = []

    def save(name, data):
        (out / name).write_bytes(np.ascontiguousarray(data).tobytes())
        return name

    for name, about, x in inputs():
        save(f"{name}.f32", x.astype("<f4"))
        for kind, t in TYPES.items():
            blocks = libgguf.quantize_rows(x, int(t))
            back = libgguf.dequantize_rows(blocks, int(t))
            assert np.isfinite(back).all(), (name, kind)
            with np.errstate(all="ignore"):
                twin = gguf.quants.quantize(x, t)
            assert (gguf.quants.dequantize(blocks, t) == back).all()
            cases.append({"case": name, "about": about, "type": kind, "n_blocks": len(x), "input": f"{name}.f32",
                          "blocks": save(f"{name}.{kind}.bin", blocks), "dequantised": save(f"{name}.{kind}.f32", back.astype("<f4"))})
            if not np.array_equal(twin, blocks):
                print(f"{name} {kind}: the gguf package quantises {int((twin != blocks).any(axis=-1).sum())} blocks differently")
    for kind, t in TYPES.items():
        blocks = raw_blocks(kind, np.random.default_rng(13))
        back = libgguf.dequantize_rows(blocks, int(t))
        assert np.isfinite(back).all()
        cases.append({"case": "raw", "about": "arbitrary block bytes: dequantise only", "type": kind, "n_blocks": len(blocks),
                      "blocks": save(f"raw.{kind}.bin", blocks), "dequantised": save(f"raw.{kind}.f32", back.astype("<f4"))})
    x = half_cases()
    half = libgguf.store_rows(x, int(T.F16))
    with np.errstate(over="ignore"):
        assert (half.view(np.uint16) == x.astype(np.float16).view(np.uint16)).all()
    cases.append({"case": "half", "about": "float to half (nearest even, overflow to infinity) and back", "type": "f16",
                  "n_values": len(x), "input": save("half.f32", x.astype("<f4")), "blocks": save("half.f16.bin", half.view("<u2")),
                  "dequantised": save("half.f16.f32", half.astype("<f4"))})
    body = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    head = {"reference": "libgguf 0.2.2 (C quantisers), checked against gguf 0.19.0",
            "layout": "floats: float32 little-endian; blocks: bytes as in a GGUF tensor; 32 elements a block, one block a row"}
    (out / "index.json").write_text(json.dumps(head, indent=1)[:-2] + ',\n "cases": [\n' + body + "\n]}\n")


if __name__ == "__main__":
    main(sys.argv[1])
