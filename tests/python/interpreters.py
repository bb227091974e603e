"""Other layouts of this Python than Debian's, made in a folder: what pyenv, uv, conda and images have."""
import os
import shutil
import subprocess
import sys
from pathlib import Path


def virtual_environment(folder, python=None):
    """The interpreter of a new virtual environment."""
    subprocess.run([str(python or sys.executable), "-m", "venv", "--without-pip", str(folder)], check=True,
                   env={"PATH": os.environ["PATH"]})
    return folder / "bin" / "python3"


def installation(folder):
    """An interpreter with a standard library of its own in which nobody has put a sitecustomize."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library, programs = folder / "lib" / name, folder / "bin"
    library.mkdir(parents=True)
    programs.mkdir()
    for entry in Path(os.__file__).parent.iterdir():
        if entry.stem not in ("sitecustomize", "__pycache__"):
            (library / entry.name).symlink_to(entry)
    shutil.copy(Path(sys.executable).resolve(), programs / name)
    for alias in ("python3", "python"):
        (programs / alias).symlink_to(name)
    return programs / "python3"
