# Token ids of llama.cpp for texts that its own conformance sets lack: a vocabulary with spaces inside merges and
# user-defined tokens (the boot model), the pre-tokenizer `default`, and added user-defined tokens that overlap.
#
#   python3 tokenizer_cases.py ../../../models/midline-boot-q4_0.gguf ../vocabs ..
#
# llama.cpp is called without special tokens (add_special and parse_special false), so these are ids of plain text.
# The user-defined tokens of a set are appended to the vocabulary, in their order, before llama.cpp loads it (those that
# it has already are left out).
import json
import os
import random
import sys
import tempfile

import gguf

import llama_ref

USER_DEFINED = ["<tool>", "    ", "  ", "def ", "return", "urn x", "\n\n", "é", "<|user_x|>", "abc", "xab", "漢字"]

CODE = [
    "def add(a, b):\n    return a + b\n",
    "class Ring:\n\tdef __init__(self, size):\n\t\tself._items = [None] * size\n\t\tself.head = 0\n",
    "for i in range(10):\n        if i % 2 == 0:\n            continue\n        print(f\"{i:>4}\")\n",
    "export async function load(url: string): Promise<Item[]> {\n  const res = await fetch(`${url}?n=${n}`);\n  return res.json();\n}\n",
    "impl<T: Clone> Iterator for Walk<'_, T> {\n    type Item = (usize, T);\n    fn next(&mut self) -> Option<Self::Item> {\n        None\n    }\n}\n",
    "#[derive(Debug)]\r\npub struct A(u8);\r\n\r\nfn main() {\r\n\tlet x = 0xFFu32;\r\n}\r\n",
    "    x = {'a': 1, \"b\": [2, 3.14e-10]}   # trailing   \n\n\n",
    "if (a && b || !c) { return a?.b ?? c => d; } // \\d+\\s* $^ @#~",
]
ODD = [
    "", " ", "  ", "\t", "\n", "\n\n\n", "\r\n", " \n \t\n", "a", "ab\u0000c", "\u0001\u0007\u007f", "éàü ñ ß ſ", "漢字仮名 한국어 ไทย",
    "🚀👩‍👩‍👧🏽🇩🇪", "\u00a0\u3000\u2028\u0085x", "e\u0301\u0300", "٣٤½Ⅷ²", "“a”—‘b’…", "\ufeffx\u200b\u200d", "\U00020000\U0001d400\U000f0000",
    "<|endoftext|><|fim_prefix|>x<|fim_suffix|>y<|fim_middle|>", "<unk><s></s><0x0A>", "<｜fim|begin｜>[PREFIX]<PRE> <fim_prefix>",
    "'s 'S don't I've we'LL", "1234567890 3.14 1,000 0x1F", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", " " * 70, "((((((((((]]]]]]]]",
    "xabc abcx return x  return  x    é漢字漢\n\n\n\n", "<tool><tool <|user_x|>def def  def",
]


def random_texts(count):
    pools = ["abcdefgXYZ_", "0123456789", " \t\n\r", " ", "\n", "'stmdrevlSREVLD", "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~", "éüßñ", "абв",
             "漢字仮名", "한국", "٣٤½²", "\u0301\u0300", "😀👧🏽", "“”—…", "€£+∑≤", "\u00a0\u3000\u2003"]
    chooser = random.Random(4)
    for _ in range(count):
        some = chooser.sample(pools, chooser.randrange(1, 5))
        runs = ((chooser.choice(some), chooser.randrange(1, 5)) for _ in range(chooser.randrange(1, 14)))
        yield "".join("".join(chooser.choice(pool) for _ in range(length)) for pool, length in runs)


TEXTS = CODE + ODD + list(random_texts(60))


def variant(source, target, pre, user_defined):
    """A copy of the tokenizer keys of `source` with another pre-tokenizer and more tokens."""
    reader = gguf.GGUFReader(source)
    read = lambda key: reader.fields[f"tokenizer.ggml.{key}"].contents() if f"tokenizer.ggml.{key}" in reader.fields else None
    writer = gguf.GGUFWriter(target, "llama")
    writer.add_name("variant")
    writer.add_tokenizer_model(read("model"))
    writer.add_tokenizer_pre(pre or read("pre"))
    user_defined = [token for token in user_defined if token not in read("tokens")]
    tokens = read("tokens") + user_defined
    writer.add_token_list(tokens)
    writer.add_token_types(read("token_type") + [4] * len(user_defined))
    if read("merges"):
        writer.add_token_merges(read("merges"))
    if read("scores"):
        writer.add_token_scores(read("scores") + [0.0] * len(user_defined))
        writer.add_add_space_prefix(False)
    for key in ("bos_token_id", "eos_token_id"):
        writer.add_uint32(f"tokenizer.ggml.{key}", read(key))
    for key in ("context_length", "embedding_length", "feed_forward_length", "block_count", "attention.head_count"):
        writer.add_uint32(f"llama.{key}", 32)
    writer.add_float32("llama.attention.layer_norm_rms_epsilon", 1e-5)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return user_defined


def record(target, path, vocabulary, pre=None, user_defined=()):
    model = llama_ref.Model(path, 0)
    cases = [{"text": text, "ids": model.tokenize(text)} for text in TEXTS]
    model.close()
    head = {"reference": f"llama.cpp in xllamacpp {llama_ref.XLLAMACPP_VERSION}", "vocabulary": vocabulary, "pre": pre,
            "user_defined": list(user_defined)}
    with open(target, "w", encoding="utf-8") as file:
        lines = ",\n".join("  " + json.dumps(case, separators=(",", ":")) for case in cases)
        file.write(json.dumps(head)[:-1] + ", \"cases\": [\n" + lines + "\n]}\n")


def main(boot, vocabs, target):
    record(f"{target}/tokenizer-boot.json", boot, "midline-boot-q4_0.gguf")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "variant.gguf")
        variant(f"{vocabs}/ggml-vocab-gpt-2.gguf", path, "default", [])
        record(f"{target}/tokenizer-default.json", path, "ggml-vocab-gpt-2.gguf", "default")
        for name in ("starcoder", "llama-spm"):
            added = variant(f"{vocabs}/ggml-vocab-{name}.gguf", path, None, USER_DEFINED)
            record(f"{target}/tokenizer-user-defined-{name}.json", path, f"ggml-vocab-{name}.gguf", None, added)


if __name__ == "__main__":
    main(*sys.argv[1:])
