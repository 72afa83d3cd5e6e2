"""Adds packages to corpus.json: python pin.py pypi|npm|crates NAME...

The newest version of each is downloaded and pinned with its SHA-256 and licence. A package whose licence is not
permissive, or that the evaluation holds out, is refused.
"""

import concurrent.futures
import json
import pathlib
import re
import sys

import licences
import registries

MANIFEST = pathlib.Path(__file__).with_name("corpus.json")

# The packages of the caret walk (tests/README.md, E3), and what belongs to them.
HELD_OUT = re.compile(
    r"scrapy|celery|networkx|tornado|optuna|wagtail|mongoose|knex|leaflet|uglify|mobx|@tanstack/|react-query"
    r"|axum|tantivy|image($|-)|imageproc|petgraph|ratatui|human-?eval|santacoder|multipl-?e", re.I)


def entry(ecosystem, name, version, path):
    """A line of the manifest, or the reason why there is none."""
    if HELD_OUT.search(name):
        return f"{name}: held out"
    licence = licences.OF[ecosystem](path)
    if not licences.is_permissive(licence):
        return f"{name}: licence {licence!r}"
    return {"from": ecosystem, "name": name, "version": version, "licence": licence,
            "bytes": path.stat().st_size, "sha256": registries.sha256(path)}


def pin(ecosystem, names):
    """Yields what entry returns, for each package."""
    names = [name for name in names if not HELD_OUT.search(name)]
    if ecosystem == "crates":
        for (name, version), path in registries.crates([(name, None) for name in names]).items():
            yield entry(ecosystem, name, version, path)
        return

    def one(name):
        try:
            path, version = getattr(registries, ecosystem)(name)
            return entry(ecosystem, name, version, path)
        except (OSError, ValueError, StopIteration) as error:
            return f"{name}: {str(error)[-150:]}"

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        yield from pool.map(one, names)


def main():
    ecosystem, names = sys.argv[1], sys.argv[2:]
    known = json.loads(MANIFEST.read_text()) if MANIFEST.exists() else []
    entries = {(one["from"], one["name"], one["version"]): one for one in known}
    for found in pin(ecosystem, names):
        if isinstance(found, str):
            print("left out", found)
        else:
            entries[found["from"], found["name"], found["version"]] = found
    lines = [json.dumps(entries[key]) for key in sorted(entries)]
    MANIFEST.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(len(entries), "packages,", sum(one["bytes"] for one in entries.values()) >> 20, "MiB")


if __name__ == "__main__":
    main()
