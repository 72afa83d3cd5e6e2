"""Archives of corpus.json to token arrays: python prepare.py [--exclude FOLDER]...

Writes CACHE/tokens/SPLIT-LANGUAGE.npz (ids, starts of documents, ids of their headers) and CACHE/tokens/counts.json.
Packages, not files, are split into train, valid and test. Files that share a run of lines with anything below
an excluded folder are left out.
"""

import argparse
import collections
import hashlib
import json
import pathlib
import subprocess

import numpy as np

import duplicates
import registries
import sources
from vocabulary import Vocabulary

ROOT = pathlib.Path(__file__).resolve().parents[2]
BETWEEN = "\n\0\n"
CHUNK = 8_000_000
PATH_PARTS = 3  # as src/prompt/header.rs


def split_of(package):
    """2 % of the packages are for validation, 2 % for tests."""
    share = int.from_bytes(hashlib.sha1(package.encode()).digest()[:4], "big") % 100
    return "valid" if share < 2 else "test" if share < 4 else "train"


def archives(manifest):
    """(entry, path) of the whole manifest, each checked against its hash."""
    wanted = [(one["name"], one["version"]) for one in manifest if one["from"] == "crates"]
    crates = registries.crates(wanted) if wanted else {}
    for one in manifest:
        name, version = one["name"], one["version"]
        path = crates[name, version] if one["from"] == "crates" else getattr(registries, one["from"])(name, version)[0]
        if registries.sha256(path) != one["sha256"]:
            raise SystemExit(f"{path}: sha256 differs from the manifest's")
        yield one, path


def tokenize(texts, model):
    """Token ids of each text, by the tokenizer that also serves the editor."""
    zero = Vocabulary(model).byte_id(0)
    scratch = registries.CACHE / "scratch.txt"
    out, start = [], 0
    while start < len(texts):
        end, size = start, 0
        while end < len(texts) and size < CHUNK:
            size += len(texts[end])
            end += 1
        scratch.write_text(BETWEEN.join(texts[start:end]), newline="")
        command = [ROOT / "target/release/midline", "tokenize", "--json", "--model", model, "--file", scratch]
        result = subprocess.run(command, check=True, capture_output=True)
        ids = np.array(json.loads(result.stdout), dtype=np.uint16)
        begin = 0
        for place in [*np.flatnonzero(ids == zero), len(ids) + 1]:
            out.append(ids[begin : place - 1])
            begin = place + 2
        start = end
    scratch.unlink(missing_ok=True)
    assert len(out) == len(texts), (len(out), len(texts))
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--exclude", action="append", default=[], help="folder of evaluation data")
    parser.add_argument("--model", default=ROOT / "models/midline-boot-q4_0.gguf", help="GGUF with the tokenizer")
    options = parser.parse_args()
    manifest = json.loads(pathlib.Path(__file__).with_name("corpus.json").read_text())
    excluded = duplicates.evaluation_runs(options.exclude)
    seen, counts = duplicates.Seen(), collections.Counter()
    found = collections.defaultdict(list)
    for one, path in archives(manifest):
        for name, text in sources.documents(path, one["from"], counts):
            if not seen.is_new(text):
                counts["duplicates"] += 1
            elif any(run in excluded for run in duplicates.runs(text)):
                counts["shared with evaluation data"] += 1
            else:
                extension = pathlib.PurePosixPath(name).suffix[1:]
                package = one["name"].removeprefix("@")
                full = name if one["from"] == "pypi" else f"{package}/{name}"
                short = "/".join(full.split("/")[-PATH_PARTS:])
                key = split_of(f"{one['from']} {one['name']}"), sources.LANGUAGES[extension]
                found[key].append((extension, short, text))
                counts["kept"] += 1
                counts[f"bytes {key[0]} {key[1]}"] += len(text)
    (registries.CACHE / "tokens").mkdir(exist_ok=True)
    for (split, language), documents in sorted(found.items()):
        ids = tokenize([text for _, _, text in documents], options.model)
        extensions = tokenize([extension for extension, _, _ in documents], options.model)
        paths = tokenize([path for _, path, _ in documents], options.model)
        arrays = {}
        for label, parts in (("ids", ids), ("extensions", extensions), ("paths", paths)):
            arrays[label] = np.concatenate(parts)
            arrays[f"{label}_starts"] = np.cumsum([0, *map(len, parts)])
        np.savez(registries.CACHE / f"tokens/{split}-{language}.npz", **arrays)
        counts[f"tokens {split} {language}"] = len(arrays["ids"])
        print(split, language, len(documents), "documents,", len(arrays["ids"]), "tokens", flush=True)
    (registries.CACHE / "tokens/counts.json").write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
