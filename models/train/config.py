"""Shapes and schedules, one JSON file a size in configs/."""

import dataclasses
import json
import pathlib


@dataclasses.dataclass
class Config:
    """What a run is made of. Widths are multiples of 32, as the quantised formats want."""

    d_model: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_ff: int
    vocab_size: int = 8192
    context: int = 512
    rope_base: float = 10_000.0
    rms_epsilon: float = 1e-5
    batch: int = 16
    steps: int = 5_000
    warm_up: int = 100
    muon_lr: float = 0.02
    adam_lr: float = 4e-3
    decay_from: float = 0.0
    quantised_from: float = 0.8
    seed: int = 1

    @property
    def head_dim(self):
        return self.d_model // self.n_heads

    def check(self):
        """Raises ValueError for a shape that cannot be exported."""
        for name in ("d_model", "d_ff"):
            if getattr(self, name) % 32:
                raise ValueError(f"{name}: expected a multiple of 32, found {getattr(self, name)}")
        if self.d_model % self.n_heads or self.n_heads % self.n_kv_heads or self.head_dim % 2:
            raise ValueError("n_heads: expected a divisor of d_model, and a multiple of n_kv_heads")
        return self


def load(path, **changes):
    """The configuration of a file, with some of its values changed."""
    values = json.loads(pathlib.Path(path).read_text()) | {k: v for k, v in changes.items() if v is not None}
    return Config(**values).check()
