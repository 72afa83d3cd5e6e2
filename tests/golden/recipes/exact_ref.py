# A second, slow reference: the LLaMA forward pass in NumPy over weights expanded to float, with no quantisation of
# activations. It tells how much of a difference from llama.cpp is llama.cpp's own rounding of activations.
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import gguf  # noqa: E402
import numpy as np  # noqa: E402


class ExactLlama:
    def __init__(self, path: str, dtype=np.float64):
        reader = gguf.GGUFReader(path)
        field = lambda key, default=None: (  # noqa: E731
            reader.fields[f"llama.{key}"].contents() if f"llama.{key}" in reader.fields else default)
        self.dtype = dtype
        self.weights = {t.name: gguf.quants.dequantize(t.data, t.tensor_type).astype(dtype) for t in reader.tensors}
        self.n_layers = field("block_count")
        self.n_heads = field("attention.head_count")
        self.n_kv_heads = field("attention.head_count_kv", self.n_heads)
        self.eps = field("attention.layer_norm_rms_epsilon")
        self.rope_base = field("rope.freq_base", 10_000.0)
        self.head_dim = field("embedding_length") // self.n_heads
        self.head_dim = field("attention.key_length", self.head_dim)
        self.rope_dim = field("rope.dimension_count", self.head_dim)

    def _norm(self, x, name):
        scale = np.sqrt((x * x).mean(axis=-1, keepdims=True) + self.eps)
        return x / scale * self.weights[name]

    def _rope(self, x):
        """Rotates neighbouring pairs of x, shape [seq_len, heads, head_dim], by its positions."""
        half = self.rope_dim // 2
        angle = np.arange(len(x))[:, None] * self.rope_base ** (-2.0 * np.arange(half) / self.rope_dim)
        cos, sin = (f(angle).astype(self.dtype)[:, None, :] for f in (np.cos, np.sin))
        even, odd = x[..., 0:self.rope_dim:2], x[..., 1:self.rope_dim:2]
        out = x.copy()
        out[..., 0:self.rope_dim:2] = even * cos - odd * sin
        out[..., 1:self.rope_dim:2] = even * sin + odd * cos
        return out

    def _attention(self, x, blk):
        n, w = len(x), self.weights
        q = self._rope((x @ w[blk + "attn_q.weight"].T).reshape(n, self.n_heads, self.head_dim))
        k = self._rope((x @ w[blk + "attn_k.weight"].T).reshape(n, self.n_kv_heads, self.head_dim))
        v = (x @ w[blk + "attn_v.weight"].T).reshape(n, self.n_kv_heads, self.head_dim)
        group = self.n_heads // self.n_kv_heads
        out = np.empty_like(q)
        mask = np.triu(np.ones((n, n), dtype=bool), 1)
        for h in range(self.n_heads):
            scores = q[:, h] @ k[:, h // group].T / np.sqrt(self.head_dim).astype(self.dtype)
            scores[mask] = -np.inf
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            out[:, h] = (scores / scores.sum(axis=-1, keepdims=True)) @ v[:, h // group]
        return out.reshape(n, -1) @ w[blk + "attn_output.weight"].T

    def logits(self, tokens):
        w = self.weights
        x = w["token_embd.weight"][tokens]
        for layer in range(self.n_layers):
            blk = f"blk.{layer}."
            x = x + self._attention(self._norm(x, blk + "attn_norm.weight"), blk)
            h = self._norm(x, blk + "ffn_norm.weight")
            gate, up = h @ w[blk + "ffn_gate.weight"].T, h @ w[blk + "ffn_up.weight"].T
            x = x + (gate / (1 + np.exp(-gate)) * up) @ w[blk + "ffn_down.weight"].T
        head = w.get("output.weight", w["token_embd.weight"])
        return self._norm(x, "output_norm.weight") @ head.T
