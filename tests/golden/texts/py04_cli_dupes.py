#!/usr/bin/env python3
"""Find duplicate files below one or more folders.

Files are grouped by size first, then by a hash of their head, and only the
survivors are hashed in full, so most of the data is never read.
"""
import argparse
import hashlib
import os
import sys
from collections import defaultdict
from pathlib import Path

HEAD = 64 * 1024


def walk(roots):
    seen = set()
    for root in roots:
        for folder, _dirs, names in os.walk(root):
            for name in names:
                path = Path(folder) / name
                info = path.lstat()
                key = (info.st_dev, info.st_ino)
                if path.is_symlink() or key in seen:
                    continue
                seen.add(key)
                yield path, info.st_size


def digest(path, limit=None):
    h = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as f:
        while chunk := f.read(HEAD if limit is None else limit):
            h.update(chunk)
            if limit is not None:
                break
    return h.hexdigest()


def split(groups, key):
    for group in groups:
        parts = defaultdict(list)
        for path in group:
            parts[key(path)].append(path)
        yield from (part for part in parts.values() if len(part) > 1)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--min-size", type=int, default=1, metavar="BYTES")
    args = parser.parse_args(argv)

    by_size = defaultdict(list)
    for path, size in walk(args.roots):
        if size >= args.min_size:
            by_size[size].append(path)
