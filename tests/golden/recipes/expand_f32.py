#!/usr/bin/env python3
# Rewrites a GGUF with every tensor expanded to F32, metadata unchanged: the same weights without block formats, on which
# llama.cpp rounds no activation to 8 bits.
#
#   python3 expand_f32.py SmolLM2-135M-Instruct.Q4_1.gguf SmolLM2-135M-Instruct.f32.gguf
import sys

import gguf

SKIP = ("GGUF.", "general.architecture", "general.file_type", "general.quantization_version")


def main(source: str, target: str) -> None:
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    for name, field in reader.fields.items():
        if not name.startswith(SKIP):
            kind = field.types[0]
            writer.add_key_value(name, field.contents(), kind, field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, gguf.quants.dequantize(tensor.data, tensor.tensor_type))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
