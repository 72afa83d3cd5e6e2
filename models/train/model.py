"""LLaMA as in src/model: RMS norm, rotary embedding over interleaved pairs, grouped-query attention, SiLU gate, tied output."""

import torch
from torch import nn
from torch.nn import functional as F


def fake_q4_0(weight):
    """What Q4_0 makes of a weight (rows of blocks of 32), with the gradient passed straight through."""
    blocks = weight.detach().float().reshape(-1, 32)
    place = blocks.abs().argmax(1, keepdim=True)
    scale = (blocks.gather(1, place) / -8).half().float()
    inverse = torch.where(scale == 0, 0, 1 / scale)
    rounded = (blocks * inverse + 8.5).floor().clamp(0, 15) - 8
    return weight + (rounded * scale).reshape(weight.shape).to(weight.dtype) - weight.detach()


class Linear(nn.Linear):
    """A matrix without bias that can be rounded as it will be shipped."""

    quantised = False

    def __init__(self, inputs, outputs):
        super().__init__(inputs, outputs, bias=False)

    def forward(self, x):
        return F.linear(x, fake_q4_0(self.weight) if self.quantised else self.weight)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        kv = config.n_kv_heads * config.head_dim
        self.q, self.k = Linear(config.d_model, config.d_model), Linear(config.d_model, kv)
        self.v, self.out = Linear(config.d_model, kv), Linear(config.d_model, config.d_model)

    def forward(self, x, cos, sin):
        batch, length, _ = x.shape
        heads = lambda y: y.view(batch, length, -1, self.config.head_dim).transpose(1, 2)  # noqa: E731
        q, k, v = rotate(heads(self.q(x)), cos, sin), rotate(heads(self.k(x)), cos, sin), heads(self.v(x))
        groups = self.config.n_heads // self.config.n_kv_heads
        k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, -1))


def rotate(x, cos, sin):
    """Rotary embedding of neighbouring pairs. `x`: [batch, heads, length, head_dim]."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2).to(x.dtype)


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention_norm = nn.RMSNorm(config.d_model, config.rms_epsilon)
        self.attention = Attention(config)
        self.ffn_norm = nn.RMSNorm(config.d_model, config.rms_epsilon)
        self.gate, self.up = Linear(config.d_model, config.d_ff), Linear(config.d_model, config.d_ff)
        self.down = Linear(config.d_ff, config.d_model)

    def forward(self, x, cos, sin):
        x = x + self.attention(self.attention_norm(x), cos, sin)
        y = self.ffn_norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    """Token ids [batch, length] to hidden states after the last norm; `logits` maps those to the vocabulary."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.n_layers))
        self.norm = nn.RMSNorm(config.d_model, config.rms_epsilon)
        frequency = config.rope_base ** (-torch.arange(0, config.head_dim, 2) / config.head_dim)
        angle = torch.arange(config.context)[:, None] * frequency
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)
        nn.init.normal_(self.embedding.weight, std=0.02)
        for module in self.modules():
            if isinstance(module, Linear):
                nn.init.normal_(module.weight, std=0.02)

    def forward(self, ids):
        x = self.embedding(ids)
        cos, sin = self.cos[: ids.shape[1]], self.sin[: ids.shape[1]]
        for block in self.blocks:
            x = block(x, cos, sin)
        return self.norm(x)

    def logits(self, hidden):
        return F.linear(hidden, self.embedding.weight)

    def quantise(self, on=True):
        """Whether matrices are rounded as Q4_0 from now on."""
        for module in self.modules():
            if isinstance(module, Linear):
                module.quantised = on
