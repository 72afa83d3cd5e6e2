# A thin ctypes view of the llama.cpp C API that lies inside the `xllamacpp` wheel: load a GGUF, tokenise, decode a
# sequence in one batch with logits at every position. One thread, F32 KV cache, flash attention off, plain kernels.
#
# The wheel ships no header, so the two parameter structs are opaque blobs filled by llama.cpp's own default functions,
# and the few fields that matter are set by byte offset. The offsets hold for the pinned wheel only; `check_layout`
# compares the defaults at those offsets with the documented ones and stops if they moved.
#
# The same offsets are checked a second way: llama.cpp logs the KV cache type and the flash attention state at load.
import ctypes as c
import struct

import numpy as np
import xllamacpp

XLLAMACPP_VERSION = "2026.10.11549"

_lib = c.CDLL(xllamacpp.xllamacpp.__file__)


class _ModelParams(c.Structure):
    _fields_ = [("raw", c.c_uint64 * 10)]


class _ContextParams(c.Structure):
    _fields_ = [("raw", c.c_uint64 * 21)]


class _Batch(c.Structure):
    _fields_ = [
        ("n_tokens", c.c_int32),
        ("token", c.POINTER(c.c_int32)),
        ("embd", c.POINTER(c.c_float)),
        ("pos", c.POINTER(c.c_int32)),
        ("n_seq_id", c.POINTER(c.c_int32)),
        ("seq_id", c.POINTER(c.POINTER(c.c_int32))),
        ("logits", c.POINTER(c.c_int8)),
    ]


# Byte offsets in llama_context_params and llama_model_params of the pinned wheel.
_N_CTX, _N_BATCH, _N_UBATCH, _N_OUTPUTS_MAX, _N_THREADS, _N_THREADS_BATCH = 0, 4, 8, 20, 28, 32
_FLASH_ATTN, _TYPE_K, _TYPE_V = 52, 104, 108
_VOCAB_ONLY, _USE_EXTRA_BUFTS = 72, 74
_GGML_TYPE_F32 = 0


def _function(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype, function.argtypes = result, list(arguments)
    return function


_P = c.c_void_p
_model_defaults = _function("llama_model_default_params", _ModelParams)
_context_defaults = _function("llama_context_default_params", _ContextParams)
_load = _function("llama_model_load_from_file", _P, c.c_char_p, _ModelParams)
_free_model = _function("llama_model_free", None, _P)
_init = _function("llama_init_from_model", _P, _P, _ContextParams)
_free = _function("llama_free", None, _P)
_vocab = _function("llama_model_get_vocab", _P, _P)
_n_vocab = _function("llama_vocab_n_tokens", c.c_int32, _P)
_add_bos = _function("llama_vocab_get_add_bos", c.c_bool, _P)
_tokenize = _function("llama_tokenize", c.c_int32, _P, c.c_char_p, c.c_int32, c.POINTER(c.c_int32), c.c_int32, c.c_bool, c.c_bool)
_piece = _function("llama_token_to_piece", c.c_int32, _P, c.c_int32, c.c_char_p, c.c_int32, c.c_int32, c.c_bool)
_decode = _function("llama_decode", c.c_int32, _P, _Batch)
_logits_ith = _function("llama_get_logits_ith", c.POINTER(c.c_float), _P, c.c_int32)
_memory = _function("llama_get_memory", _P, _P)
_memory_clear = _function("llama_memory_clear", None, _P, c.c_bool)
_batch_init = _function("llama_batch_init", _Batch, c.c_int32, c.c_int32, c.c_int32)
_batch_free = _function("llama_batch_free", None, _Batch)


_log_lines: list[str] = []


@c.CFUNCTYPE(None, c.c_int, c.c_char_p, c.c_void_p)
def _collect_log(_level, text, _user):
    _log_lines.append(text.decode(errors="replace"))


_function("llama_log_set", None, _P, _P)(c.cast(_collect_log, _P), None)


def log_lines(*needles: str) -> list[str]:
    """The lines llama.cpp logged so far that contain one of the needles."""
    return [line for line in "".join(_log_lines).splitlines() if any(n in line for n in needles)]


def _put(params, offset, fmt, value):
    struct.pack_into("<" + fmt, params, offset, value)


def _get(params, offset, fmt):
    return struct.unpack_from("<" + fmt, bytes(params), offset)[0]


def check_layout():
    """Stops unless llama.cpp's own defaults stand where the offsets above say."""
    p = _context_defaults()
    want = {_N_CTX: 512, _N_BATCH: 2048, _N_UBATCH: 512, _N_OUTPUTS_MAX: 0, _N_THREADS: 4, _N_THREADS_BATCH: 4,
            _FLASH_ATTN: -1, _TYPE_K: 1, _TYPE_V: 1}
    for offset, value in want.items():
        found = _get(p, offset, "i")
        assert found == value, f"llama_context_params moved: offset {offset} holds {found}, expected {value}"
    assert _get(_model_defaults(), _USE_EXTRA_BUFTS, "B") == 1, "llama_model_params moved"


class Model:
    """A model, with one context unless `n_ctx` is 0 (vocabulary only). Sequences start at position 0 each time."""

    def __init__(self, path: str, n_ctx: int, repack: bool = False, kv_type: int = _GGML_TYPE_F32,
                 one_by_one: bool = False):
        check_layout()
        params = _model_defaults()
        _put(params, _VOCAB_ONLY, "B", int(n_ctx == 0))
        _put(params, _USE_EXTRA_BUFTS, "B", int(repack))
        self.model = _load(path.encode(), params)
        if not self.model:
            raise RuntimeError(f"llama.cpp refused {path}: {''.join(_log_lines[-3:])}")
        self.vocab = _vocab(self.model)
        self.n_vocab = _n_vocab(self.vocab)
        self.adds_bos = bool(_add_bos(self.vocab))
        self.context = self._context(n_ctx, 1 if one_by_one else n_ctx, kv_type) if n_ctx else None

    def _context(self, n_ctx: int, n_ubatch: int, kv_type: int):
        p = _context_defaults()
        for offset, value in ((_N_CTX, n_ctx), (_N_BATCH, n_ctx), (_N_UBATCH, n_ubatch)):
            _put(p, offset, "I", value)
        for offset in (_N_THREADS, _N_THREADS_BATCH):
            _put(p, offset, "i", 1)
        for offset in (_TYPE_K, _TYPE_V):
            _put(p, offset, "i", kv_type)
        _put(p, _FLASH_ATTN, "i", 0)
        context = _init(self.model, p)
        if not context:
            raise RuntimeError("".join(_log_lines[-3:]))
        return context

    def tokenize(self, text: str, add_special: bool = False, parse_special: bool = False) -> list[int]:
        data = text.encode()
        room = (c.c_int32 * (len(data) + 8))()
        n = _tokenize(self.vocab, data, len(data), room, len(room), add_special, parse_special)
        assert n >= 0
        return list(room[:n])

    def piece(self, token: int) -> bytes:
        room = c.create_string_buffer(256)
        n = _piece(self.vocab, token, room, 256, 0, True)
        return room.raw[:n]

    def logits(self, tokens: list[int]) -> np.ndarray:
        """Logits after each token, shape [seq_len, vocab_size], float32; one batch from an empty cache."""
        _memory_clear(_memory(self.context), True)
        n = len(tokens)
        batch = _batch_init(n, 0, 1)
        batch.n_tokens = n
        for i, token in enumerate(tokens):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.logits[i] = token, i, 1, 1
            batch.seq_id[i][0] = 0
        status = _decode(self.context, batch)
        assert status == 0, f"llama_decode: {status}"
        out = np.empty((n, self.n_vocab), dtype=np.float32)
        for i in range(n):
            out[i] = np.ctypeslib.as_array(_logits_ith(self.context, i), shape=(self.n_vocab,))
        _batch_free(batch)
        return out

    def close(self):
        if self.context:
            _free(self.context)
        _free_model(self.model)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    x = logits.astype(np.float64)
    x -= x.max(axis=-1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))
