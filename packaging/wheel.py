"""Makes the wheel of a tree that packaging/build has made.

usage: wheel.py TREE VERSION ARCH OUT

In the wheel, the Python package is as anywhere, and what is native lies in `sluice/_native` as under a prefix: bin,
lib, share. Manual pages and completions go where a prefix has them. The command `sluice` is `sluice.__main__`, which
becomes the program. What the package is called and needs is read from python/pyproject.toml.
"""
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "python/pyproject.toml"
WHEEL = """\
Wheel-Version: 1.0
Generator: sluice packaging/wheel.py
Root-Is-Purelib: false
Tag: py3-none-linux_{arch}
"""


def metadata(project, version, readme):
    fields = [
        ("Metadata-Version", "2.1"),
        ("Name", project["name"]),
        ("Version", version),
        ("Summary", project["description"]),
        ("License", project["license"]["text"]),
        ("Requires-Python", project["requires-python"]),
        *(("Classifier", classifier) for classifier in project["classifiers"]),
        ("Description-Content-Type", "text/markdown"),
    ]
    return "".join(f"{name}: {value}\n" for name, value in fields) + "\n" + readme


def entry_points(project):
    return "[console_scripts]\n" + "".join(f"{name} = {target}\n" for name, target in project["scripts"].items())


def lay_out(project, tree, folder, version, arch):
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
    (info / "METADATA").write_text(metadata(project, version, (documents / "README.md").read_text()))
    (info / "WHEEL").write_text(WHEEL.format(arch=arch))
    (info / "entry_points.txt").write_text(entry_points(project))
    shutil.copy(documents / "LICENSE", info)
    shutil.copytree(documents / "licenses", info / "licenses")


def main(arguments):
    tree, version, arch, out = Path(arguments[0]), arguments[1], arguments[2], Path(arguments[3])
    project = tomllib.loads(PROJECT.read_text())["project"]
    with tempfile.TemporaryDirectory() as folder:
        lay_out(project, tree, Path(folder), version, arch)
        subprocess.run([sys.executable, "-m", "wheel", "pack", "--dest-dir", str(out), folder], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
