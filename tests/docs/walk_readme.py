"""Does what a document tells a new user to do: its commands, in their order, in a bare clone.

usage: walk_readme.py ROOT [DOCUMENT]      (default: README.md)

Clones the commit that ROOT stands on and runs each ```sh block of DOCUMENT there, line by line, with a shell and Debian's
programs and nothing else. A block after a line `<!-- not walked: REASON -->` is left out, and the reason printed. A
command fails by its exit status, and one of Sluice's also where it says that something was not measured. The
first failure ends the walk with status 1. SLUICE_WALK_FOLDER: where the clone goes (default: a temporary folder).
"""
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BLOCK = re.compile(r"^(?:<!-- not walked: ([^\n]*) -->\n)?```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FELL_SHORT = re.compile(r"^sluice: .*(training goes on|not measured|from outside only)", re.MULTILINE)
LONGEST_SECONDS = 1800  # of one command, with the first build in it
SHOWN = 3000  # characters of what a failed command printed


def clone(root, folder):
    target = Path(folder) / "sluice"
    subprocess.run(["git", "clone", "--quiet", "--no-local", str(root), str(target)], check=True)
    return target


def blocks(text):
    """(line, reason not to walk it or None, commands)."""
    for match in BLOCK.finditer(text):
        joined = match.group(2).replace("\\\n", " ")
        commands = [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        yield text.count("\n", 0, match.start(2)) + 1, match.group(1), commands


def environment():
    """As after logging in: nothing of whoever walks."""
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "CCACHE_DIR", "SLUICE_NO_INSTALL")}
    return {**kept, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "dumb"}


def problem_of(command, where):
    """What is wrong with it, or an empty text."""
    try:
        done = subprocess.run(["sh", "-c", command], cwd=where, env=environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=LONGEST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"does not end within {LONGEST_SECONDS} s"
    if done.returncode != 0:
        return f"exit status {done.returncode}\n{done.stdout[-SHOWN:]}"
    short = FELL_SHORT.search(done.stdout)
    return f"fell short: {short.group(0)}" if short else ""


def walk(where, document):
    """Returns (commands walked, blocks left out, the first problem or an empty text)."""
    walked, left_out = 0, 0
    for line, reason, commands in blocks((where / document).read_text()):
        if reason is not None:
            left_out += 1
            print(f"{document}:{line}: not walked: {reason}", flush=True)
            continue
        for command in commands:
            begin = time.monotonic()
            problem = problem_of(command, where)
            print(f"{document}:{line}: {command.strip()}  [{time.monotonic() - begin:.0f} s]", flush=True)
            if problem:
                return walked, left_out, f"{document}:{line}: {command.strip()}: {problem}"
            walked += 1
    return walked, left_out, ""


def main(arguments):
    root = Path(arguments[0]).resolve()
    document = arguments[1] if len(arguments) > 1 else "README.md"
    with tempfile.TemporaryDirectory(prefix="sluice walk ", dir=os.environ.get("SLUICE_WALK_FOLDER")) as folder:
        walked, left_out, problem = walk(clone(root, folder), document)
    print(problem or f"{walked} commands walked, {left_out} blocks left out")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
