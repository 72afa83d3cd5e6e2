"""What licence an archive states, and whether everything in it may be trained on."""

import io
import json
import re
import tarfile
import tomllib
import zipfile

PERMISSIVE = {
    "MIT", "MIT-0", "0BSD", "BSD", "BSD-2-CLAUSE", "BSD-3-CLAUSE", "BSD-1-CLAUSE", "APACHE-2.0", "ISC", "PSF-2.0",
    "PYTHON-2.0", "ZLIB", "CC0-1.0", "UNLICENSE", "BLUEOAK-1.0.0", "BSL-1.0", "UNICODE-3.0", "UNICODE-DFS-2016",
}

CLASSIFIERS = {
    "MIT License": "MIT",
    "BSD License": "BSD",
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "zlib/libpng License": "Zlib",
    "CC0 1.0 Universal (CC0 1.0) Public Domain Dedication": "CC0-1.0",
}


def is_permissive(expression):
    """Whether an SPDX expression leaves a choice of permissive licences only. Unknown words are not permissive."""
    text = re.sub(r"\s+WITH\s+\S+", "", expression.replace("/", " OR "))
    text = text.replace("(", " ").replace(")", " ")
    return all(
        any(name.strip().upper() in PERMISSIVE for name in part.split(" OR ")) for part in text.split(" AND ")
    )


def of_wheel(path):
    """The licence that a wheel's metadata state, as an SPDX expression, or an empty text."""
    with zipfile.ZipFile(path) as archive:
        name = next(name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        head = archive.read(name).decode("utf-8", "replace").split("\n\n")[0]
    if found := re.search(r"^License-Expression: (.+)$", head, re.M):
        return found[1].strip()
    classifiers = re.findall(r"^Classifier: License :: (?:OSI Approved :: )?(.+)$", head, re.M)
    names = [CLASSIFIERS.get(name.strip(), name.strip()) for name in classifiers if name.strip() != "OSI Approved"]
    if names:
        return " AND ".join(names)
    found = re.search(r"^License: (.+)$", head, re.M)
    aliases = {"BSD 3-Clause": "BSD-3-Clause", "Apache 2.0": "Apache-2.0", "Apache License 2.0": "Apache-2.0",
               "MIT License": "MIT", "BSD License": "BSD", "Apache License, Version 2.0": "Apache-2.0"}
    text = found[1].strip() if found else ""
    return aliases.get(text, text)


def of_npm(path):
    """The licence in a tarball's package.json."""
    with tarfile.open(path) as archive:
        name = next(name for name in archive.getnames() if re.fullmatch(r"[^/]+/package\.json", name))
        licence = json.load(archive.extractfile(name)).get("license", "")
    return licence.get("type", "") if isinstance(licence, dict) else str(licence)


def of_crate(path):
    """The licence in a crate's Cargo.toml."""
    with tarfile.open(path) as archive:
        name = next(name for name in archive.getnames() if re.fullmatch(r"[^/]+/Cargo\.toml", name))
        return tomllib.load(io.BytesIO(archive.extractfile(name).read()))["package"].get("license", "")


OF = {"pypi": of_wheel, "npm": of_npm, "crates": of_crate}
