"""Checkpoint to GGUF: python models/train/export.py RUN OUT.gguf [--like GGUF] [--type q4_0|f32] [--name NAME]
                                [--min-score X]

Matrices become Q4_0, the embedding, which is also the output matrix, Q8_0, norms F32. The tokenizer is copied.
"""

import argparse

import gguf
import numpy as np
import torch
from gguf import GGMLQuantizationType as Type

NAMES = {"attention.q": "attn_q", "attention.k": "attn_k", "attention.v": "attn_v", "attention.out": "attn_output",
         "gate": "ffn_gate", "up": "ffn_up", "down": "ffn_down", "attention_norm": "attn_norm", "ffn_norm": "ffn_norm"}


def tensor_name(parameter):
    """The name of a parameter in a file: blocks.0.attention.q.weight is blk.0.attn_q.weight."""
    if parameter.startswith("blocks."):
        _, block, rest = parameter.removesuffix(".weight").split(".", 2)
        return f"blk.{block}.{NAMES[rest]}.weight"
    return {"embedding.weight": "token_embd.weight", "norm.weight": "output_norm.weight"}[parameter]


def load_weights(model, path):
    """Fills a model with the weights of a file of the same shape, whatever their type there."""
    tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(path).tensors}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            tensor = tensors[tensor_name(name)]
            values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
            parameter.copy_(torch.from_numpy(np.array(values, np.float32)).reshape(parameter.shape))


def write(state, config, like, out, name, description, kind=Type.Q4_0, min_score=None):
    """Writes the weights of a state with the tokenizer of another file, and the least score of a suggestion."""
    writer = gguf.GGUFWriter(out, "llama")
    writer.add_name(name)
    writer.add_license("apache-2.0")
    writer.add_description(description)
    writer.add_context_length(config["context"])
    writer.add_embedding_length(config["d_model"])
    writer.add_block_count(config["n_layers"])
    writer.add_feed_forward_length(config["d_ff"])
    writer.add_head_count(config["n_heads"])
    writer.add_head_count_kv(config["n_kv_heads"])
    writer.add_rope_dimension_count(config["d_model"] // config["n_heads"])
    writer.add_rope_freq_base(config["rope_base"])
    writer.add_layer_norm_rms_eps(config["rms_epsilon"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0 if kind == Type.Q4_0 else gguf.LlamaFileType.ALL_F32)
    fields = gguf.GGUFReader(like).fields
    writer.add_tokenizer_model("llama")
    writer.add_token_list(fields["tokenizer.ggml.tokens"].contents())
    writer.add_token_scores(fields["tokenizer.ggml.scores"].contents())
    writer.add_token_types(fields["tokenizer.ggml.token_type"].contents())
    for key, field in fields.items():
        own = key.startswith("midline.") and not key.startswith("midline.fim.")
        if own or key.startswith("tokenizer.ggml.") and key.endswith("_token_id"):
            writer.add_uint32(key, int(field.contents()))
        elif key.startswith("tokenizer.ggml.add_"):
            writer.add_bool(key, bool(field.contents()))
    writer.add_string("midline.fim.order", "spm")
    writer.add_bool("midline.fim.contiguous", True)
    writer.add_string("midline.fim.preferred", "spm")
    if min_score is not None:
        writer.add_float32("midline.min_score", min_score)
    for parameter, values in state.items():
        values = values.float().numpy()
        if values.ndim == 1 or kind == Type.F32:
            writer.add_tensor(tensor_name(parameter), values)
            continue
        as_type = Type.Q8_0 if parameter == "embedding.weight" else kind
        writer.add_tensor(tensor_name(parameter), gguf.quants.quantize(values, as_type), raw_dtype=as_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    from registries import CACHE

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run")
    parser.add_argument("out")
    parser.add_argument("--like", default="models/midline-boot-q4_0.gguf", help="GGUF with the tokenizer")
    parser.add_argument("--type", choices=["q4_0", "f32"], default="q4_0")
    parser.add_argument("--min-score", type=float, help="mean log-probability below which nothing is suggested")
    parser.add_argument("--name", default="Midline 5M")
    parser.add_argument("--description", default="LLaMA code model, fill-in-the-middle; Python, JavaScript, TypeScript, Rust")
    options = parser.parse_args()
    saved = torch.load(CACHE / "runs" / options.run / "checkpoint.pt")
    kind = Type.Q4_0 if options.type == "q4_0" else Type.F32
    write(saved["model"], saved["config"], options.like, options.out, options.name, options.description, kind, options.min_score)
    print(options.out, "from step", saved["step"])


if __name__ == "__main__":
    main()
