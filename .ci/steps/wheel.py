#!/usr/bin/env python3
"""Takes files out of a PyPI wheel: wheel.py REQUIREMENT MEMBER TARGET.

MEMBER is one file, or a folder whose content is unpacked into TARGET. Nothing is installed, and pip comes
from wherever it can be had: this Python's module, a pip on PATH, or a throw-away virtual environment.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile


def pip_commands(scratch):
    """Ways to call pip, the cheap ones first; each is tried only when those before it failed."""
    yield [sys.executable, "-m", "pip"]
    for name in ("pip3", "pip"):
        if shutil.which(name):
            yield [name]
    venv = os.path.join(scratch, "venv")
    made = subprocess.run([sys.executable, "-m", "venv", venv], capture_output=True, check=False)
    if made.returncode == 0:
        yield [os.path.join(venv, "bin", "python"), "-m", "pip"]


def reason(stderr):
    """Pip's last words; but an index that cannot be reached makes pip end with "no matching distribution"."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip() and "No module named pip" not in line]
    for line in lines:
        if "connection broken by" in line or line.startswith("Could not fetch URL"):
            cause = line.split("connection broken by")[-1].split(": /")[0].strip(" '")
            return "cannot reach the package index: " + re.sub(r"<[^<>]*>(: )?", "", cause)
    return lines[-1] if lines else ""


def download(requirement, scratch):
    """The path of the downloaded wheel; raises OSError with pip's last words when no pip could."""
    words = "no pip found"
    for pip in pip_commands(scratch):
        command = pip + ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", scratch, requirement]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        wheels = glob.glob(os.path.join(scratch, "*.whl"))
        if done.returncode == 0 and wheels:
            return wheels[0]
        words = reason(done.stderr) or words
    raise OSError(f"pip download {requirement}: {words}")


def extract(requirement, member, target):
    """Unpacks one file to the path TARGET, or a folder into the folder TARGET."""
    with tempfile.TemporaryDirectory(prefix="midline-") as scratch, zipfile.ZipFile(
        download(requirement, scratch)
    ) as wheel:
        names = [n for n in wheel.namelist() if n == member or n.startswith(member + "/")]
        if not names:
            raise OSError(f"{requirement} holds no {member}")
        for name in names:
            if name.endswith("/"):
                continue
            path = target if name == member else os.path.join(target, os.path.relpath(name, member))
            os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
            with wheel.open(name) as source, open(path, "wb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: wheel.py REQUIREMENT MEMBER TARGET")
    try:
        extract(*sys.argv[1:])
    except (OSError, zipfile.BadZipFile) as error:
        sys.exit(f"wheel.py: error: {error}")
