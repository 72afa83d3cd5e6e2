#!/usr/bin/env python3
"""Puts the data of the evaluation into a folder: fetch.py FOLDER [DATA].

Held-out packages (packages.json) come by name through pip, npm and cargo, each in its pinned version and with its
pinned checksum, into FOLDER/packages/LANGUAGE/PACKAGE. Only sources are kept: no tests, benchmarks, examples, generated or
minified files, and nothing below 400 bytes or above 200 kB. DATA is a folder with the published task files
(`*.jsonl` or `*.jsonl.gz`); they are unpacked into FOLDER/tasks. Nothing of this is part of the repository.
"""

import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUFFIXES = {"python": {".py"}, "javascript": {".js", ".mjs", ".ts", ".tsx"}, "rust": {".rs"}}
# Where a package keeps what it is made from, when the same code also lies there in built form.
ROOTS = {"leaflet": "src", "mobx": "src", "@tanstack/query-core": "src", "uglify-js": "lib", "knex": "lib",
         "mongoose": "lib", "axum": "src", "image": "src", "petgraph": "src", "ratatui-widgets": "src", "tantivy": "src"}
NOT_SOURCE = {"test", "tests", "testing", "__tests__", "bench", "benches", "examples", "dist", "build", "vendor",
              "migrations", "locale", "static", "stub"}
TASKS = {
    "santacoder-fim-py": ("bigcode/santacoder-fim-task on the Hugging Face hub, language py",
                          "c23186c3afbc39c0072e2d2a228624aa5caa8856f3b0ee4e228dfb988c2780e8"),
    "santacoder-fim-js": ("bigcode/santacoder-fim-task on the Hugging Face hub, language js",
                          "ced13ea8a415a5d506744a96db37ecd88454ab65f718027f4261302c28986636"),
    "HumanEval-SingleLineInfilling": ("openai/human-eval-infilling on GitHub",
                                      "6fffc71ec2f1674372fcc177511f92312f1a27a9eacd8e43255c9f5ee9eca8c8"),
    "hx_js": ("zai-org/humaneval-x on the Hugging Face hub, js/test", "da529500a73fcbc86bc8f6c7855c0f2c0fc7af1c4dc530e26a54bbfd17f97cef"),
}


def run(command, **options):
    """Runs a registry's client quietly; its last words are the error."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, **options)
    except FileNotFoundError as error:
        raise OSError(f"{command[0]} is missing; run: make setup") from error
    if done.returncode != 0:
        words = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()] or ["no reason given"]
        raise OSError(f"{' '.join(command[:2])}: {words[-1].strip()}")
    return done.stdout


def verified(path, package):
    """The path, if the file has the pinned checksum."""
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != package["sha256"]:
        raise OSError(f"{package['name']} {package['version']}: expected SHA-256 {package['sha256']}, found {found}")
    return path


def wheel(package, scratch):
    """Downloads and unpacks a wheel; the platform is fixed, so that every machine gets the same file."""
    run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--platform",
         "manylinux2014_x86_64", "--python-version", "3.11", "-d", str(scratch),
         f"{package['name']}=={package['version']}"])
    unpacked = scratch / "unpacked"
    with zipfile.ZipFile(verified(next(scratch.glob("*.whl")), package)) as archive:
        archive.extractall(unpacked)
    return unpacked / package["name"]


def tarball(package, scratch):
    """Downloads and unpacks an npm package."""
    run(["npm", "pack", "--silent", f"{package['name']}@{package['version']}"], cwd=scratch)
    with tarfile.open(verified(next(scratch.glob("*.tgz")), package)) as archive:
        archive.extractall(scratch / "unpacked", filter="data")
    return scratch / "unpacked" / "package"


def crates(packages, scratch):
    """Lets cargo fetch the packages with all they depend on, which is the only way it has; the lock file has the checksums."""
    run(["cargo", "vendor", "--locked", "--versioned-dirs", "--manifest-path", str(HERE / "crates" / "Cargo.toml"), str(scratch)])
    return [scratch / f"{package['name']}-{package['version']}" for package in packages]


def is_source(path, language):
    """Whether a file, by its path inside the package, is code that people write and that runs in the product."""
    name = path.name
    generated = ".min." in name or name.endswith((".d.ts", "-min.js"))
    test = re.search(r"(^|[._-])(tests?|spec|bench)([._-]|$)", name.rsplit(".", 1)[0]) is not None
    return path.suffix in SUFFIXES[language] and not generated and not test and not NOT_SOURCE.intersection(path.parts[:-1])


def keep_sources(unpacked, package, language, target):
    """Copies the sources of an unpacked package."""
    root = unpacked / ROOTS.get(package["name"], "")
    kept = 0
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.is_file() and is_source(inside, language) and 400 <= path.stat().st_size <= 200_000:
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / inside)
            kept += 1
    if kept == 0:
        raise OSError(f"{package['name']} {package['version']} holds no sources below {root}")


def fetch_packages(folder):
    """All packages, unless the folder already holds exactly these."""
    wanted = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in
                                     ("packages.json", "fetch.py", "crates/Cargo.lock"))).hexdigest()
    stamp = folder / ".complete"
    if stamp.is_file() and stamp.read_text("utf-8") == wanted:
        return
    print("eval: fetching the held-out packages", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    packages = json.loads((HERE / "packages.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory(prefix="midline-") as name:
        scratch = Path(name)
        rust = crates(packages["rust"], scratch / "crates")
        for language in SUFFIXES:
            for index, package in enumerate(packages[language]):
                own = scratch / language / str(index)
                own.mkdir(parents=True)
                unpacked = rust[index] if language == "rust" else {"python": wheel, "javascript": tarball}[language](package, own)
                keep_sources(unpacked, package, language, folder / language / package["name"].rsplit("/", 1)[-1])
    stamp.write_text(wanted, "utf-8")


def unpack_tasks(data, folder):
    """Task files from the folder of the user; a missing one is said, one with other content is said and used."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (origin, pinned) in TASKS.items():
        target = folder / f"{name}.jsonl"
        found = [path for path in (data / f"{name}.jsonl.gz", data / f"{name}.jsonl") if path.is_file()]
        if not found:
            target.unlink(missing_ok=True)
            print(f"eval: {data} has no {name}.jsonl(.gz), its part is left out; published as {origin}", flush=True)
            continue
        content = found[0].read_bytes()
        content = gzip.decompress(content) if found[0].suffix == ".gz" else content
        checksum = hashlib.sha256(content).hexdigest()
        if checksum != pinned:
            print(f"eval: {found[0].name} is not the file of the recorded figures: expected {pinned}, found {checksum}", flush=True)
        target.write_bytes(content)


def main():
    """Both, in this order."""
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: fetch.py FOLDER [DATA]")
    folder = Path(sys.argv[1])
    fetch_packages(folder / "packages")
    if len(sys.argv) == 3:
        unpack_tasks(Path(sys.argv[2]), folder / "tasks")
    elif not (folder / "tasks").is_dir():
        print("eval: no task files, so E1 and E2 are left out. Give the folder that holds them in MIDLINE_EVAL_DATA:")
        for name, (origin, _) in TASKS.items():
            print(f"eval:   {name}.jsonl or .jsonl.gz: {origin}")


if __name__ == "__main__":
    try:
        main()
    except (OSError, zipfile.BadZipFile, tarfile.TarError) as error:
        sys.exit(f"eval: error: {error}")
