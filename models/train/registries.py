"""Downloads packages by name and version through the tools of each ecosystem: pip, npm, cargo.

Every function returns paths of archives in the cache; what was downloaded before is not asked for again.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys

CACHE = pathlib.Path(os.environ.get("MIDLINE_TRAIN_CACHE", "~/.cache/midline/train")).expanduser()


def sha256(path):
    """Hexadecimal SHA-256 of a file."""
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def folder(ecosystem):
    """Where the archives of an ecosystem are kept."""
    path = CACHE / "archives" / ecosystem
    path.mkdir(parents=True, exist_ok=True)
    return path


def _run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **options)
    if result.returncode != 0:
        raise OSError(f"{' '.join(map(str, command))}: {result.stderr.strip()[-400:]}")
    return result.stdout


def _name_and_version(path):
    name, version = path.name.split("-")[:2]
    return name, version


def pypi(name, version=None):
    """A wheel. Returns (path, version)."""
    normal = re.sub(r"[-_.]+", "_", name).lower()
    if version:
        for path in folder("pypi").glob("*.whl"):
            have, at = _name_and_version(path)
            if re.sub(r"[-_.]+", "_", have).lower() == normal and at == version:
                return path, version
    target = folder("pypi") / f".{normal}"
    _run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "-d", target,
          f"{name}=={version}" if version else name])
    (wheel,) = target.glob("*.whl")
    path = wheel.rename(folder("pypi") / wheel.name)
    target.rmdir()
    return path, _name_and_version(path)[1]


def npm(name, version=None):
    """A tarball. Returns (path, version)."""
    stem = name.removeprefix("@").replace("/", "-")
    if version and (path := folder("npm") / f"{stem}-{version}.tgz").exists():
        return path, version
    out = _run(["npm", "pack", "--silent", f"{name}@{version or 'latest'}", "--pack-destination", folder("npm")])
    file = out.strip().splitlines()[-1]
    return folder("npm") / file, file[len(stem) + 1 : -len(".tgz")]


def crates(wanted):
    """Crates, and with them what they depend on, in one resolution. `wanted`: (name, version or None) pairs.

    Returns {(name, version): path}.
    """
    project = CACHE / "crates-project"
    (project / "src").mkdir(parents=True, exist_ok=True)
    (project / "src/lib.rs").write_text("")
    (project / "Cargo.lock").unlink(missing_ok=True)
    lines = ["[package]", 'name = "corpus"', 'version = "0.0.0"', 'edition = "2021"', "[dependencies]"]
    for number, (name, version) in enumerate(wanted):
        requirement = f"={version}" if version else "*"
        lines.append(f'd{number} = {{ package = "{name}", version = "{requirement}", default-features = false }}')
    (project / "Cargo.toml").write_text("\n".join(lines) + "\n")
    _run(["cargo", "fetch"], cwd=project)
    home = pathlib.Path(os.environ.get("CARGO_HOME", "~/.cargo")).expanduser()
    cached = {path.name: path for path in home.glob("registry/cache/*/*.crate")}
    lock = (project / "Cargo.lock").read_text()
    found = re.findall(r'name = "(.+)"\nversion = "(.+)"\nsource = .*\nchecksum', lock)
    return {pair: cached["-".join(pair) + ".crate"] for pair in found}
