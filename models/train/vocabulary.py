"""The vocabulary of a GGUF file with a `llama` tokenizer, for short texts; src/tokenizer does whole files."""

import functools

import gguf

NORMAL, USER_DEFINED, BYTE = 1, 4, 6
CONTROLS = ("<|endoftext|>", "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|lang_sep|>", "<|meta_sep|>")


class Vocabulary:
    """Tokens as bytes, and the greedy merge of SentencePiece's BPE over a line."""

    def __init__(self, path):
        fields = gguf.GGUFReader(path).fields
        value = lambda name: fields[f"tokenizer.ggml.{name}"].contents()  # noqa: E731
        self.tokens, self.kinds, scores = value("tokens"), value("token_type"), value("scores")
        self.bytes = []
        for token, kind in zip(self.tokens, self.kinds):
            text = token.replace("\u2581", " ").encode()
            self.bytes.append(bytes([int(token[3:5], 16)]) if kind == BYTE else text)
        self.ids = {self.bytes[id].decode(): id for id, kind in enumerate(self.kinds) if kind in (NORMAL, USER_DEFINED)}
        self.scores = {text: scores[id] for text, id in self.ids.items()}
        self.user_defined = {self.bytes[id].decode() for id, kind in enumerate(self.kinds) if kind == USER_DEFINED}
        (self.end, self.fim_prefix, self.fim_suffix, self.fim_middle, self.lang_sep, self.meta_sep) = (
            self.tokens.index(name) for name in CONTROLS)
        self.encode_line = functools.lru_cache(1 << 17)(self._encode_line)

    def byte_id(self, byte):
        """The token of one byte."""
        return self.tokens.index(f"<0x{byte:02X}>")

    def decode(self, ids):
        """The bytes of some tokens."""
        return b"".join(self.bytes[id] for id in ids)

    def encode(self, text):
        """Ids of a text: user-defined tokens (single characters here) first, merges between them."""
        out, start = [], 0
        for place, character in enumerate(text):
            if character in self.user_defined:
                out += self.encode_line(text[start:place])
                out.append(self.ids[character])
                start = place + 1
        return out + list(self.encode_line(text[start:]))

    def _encode_line(self, text):
        parts = list(text)
        while len(parts) > 1:
            pairs = ((self.scores.get(left + right, -1e30), -place) for place, (left, right) in enumerate(zip(parts, parts[1:])))
            score, place = max(pairs)
            if score == -1e30:
                break
            parts[-place : -place + 2] = [parts[-place] + parts[1 - place]]
        out = []
        for part in parts:
            out += [self.ids[part]] if part in self.ids else [self.byte_id(byte) for byte in part.encode()]
        return tuple(out)
