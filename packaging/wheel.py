"""Makes the wheel of a tree that packaging/build has made.

usage: wheel.py TREE VERSION ARCH OUT

In the wheel, the Python package is as anywhere, and what is native lies in `sluice/_native` as under a prefix: bin,
lib, share. Manual pages and completions go where a prefix has them. The command `sluice` is `sluice.__main__`, which becomes the program.
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

METADATA = """\
Metadata-Version: 2.1
Name: sluice
Version: {version}
Summary: Keeps accelerators fed: measures, explains and retunes the input pipeline of a training run
License: Apache-2.0
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Description-Content-Type: text/markdown

{readme}"""
WHEEL = """\
Wheel-Version: 1.0
Generator: sluice packaging/wheel.py
Root-Is-Purelib: false
Tag: py3-none-linux_{arch}
"""
ENTRY_POINTS = """\
[console_scripts]
sluice = sluice.__main__:main
"""


def lay_out(tree, folder, version, arch):
    shutil.copytree(tree / "lib/sluice/python/sluice", folder / "sluice")
    native = folder / "sluice/_native"
    shutil.copytree(tree / "bin", native / "bin")
    shutil.copytree(tree / "lib", native / "lib", ignore=shutil.ignore_patterns("python"))
    shutil.copytree(tree / "share/sluice", native / "share/sluice")
    shutil.copytree(tree / "include", native / "include")
    for part in ("man", "bash-completion", "zsh", "fish"):
        shutil.copytree(tree / "share" / part, folder / f"sluice-{version}.data/data/share" / part)
    info = folder / f"sluice-{version}.dist-info"
    info.mkdir()
    documents = tree / "share/doc/sluice"
    (info / "METADATA").write_text(METADATA.format(version=version, readme=(documents / "README.md").read_text()))
    (info / "WHEEL").write_text(WHEEL.format(arch=arch))
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    shutil.copy(documents / "LICENSE", info)
    shutil.copytree(documents / "licenses", info / "licenses")


def main(arguments):
    tree, version, arch, out = Path(arguments[0]), arguments[1], arguments[2], Path(arguments[3])
    with tempfile.TemporaryDirectory() as folder:
        lay_out(tree, Path(folder), version, arch)
        subprocess.run([sys.executable, "-m", "wheel", "pack", "--dest-dir", str(out), folder], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
