"""Does what documents tell a new user to do: their commands, in their order, in a bare clone.

usage: walk_readme.py ROOT [DOCUMENT...] [--without-rights [DOCUMENT...]]      (default: README.md)

Clones the commit that ROOT stands on, into a folder whose path has a blank, an umlaut and a dollar sign, and runs each ```sh
block of the DOCUMENTs there, command by command, with a shell and Debian's programs and nothing else. A block after a line
`<!-- not walked: REASON -->` is left out, and the reason printed. A command fails by its exit status, and one of Sluice's
also where it says that something was not measured. The first failure ends the walk with status 1.

--without-rights    then the same again, or the documents named behind it, in a clone of its own, as a user that may do
                    nothing: a number that nobody has, no groups, no way to more rights (sudo does not work), an empty home,
                    LANG=C. What the first walk has installed is there, and what it has compiled is in a cache; all else is
                    made anew. Only root can become another user; anybody else walks once, as himself.

SLUICE_WALK_FOLDER: where the clones go (default: a temporary folder).
"""
import argparse
import grp
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import shell_blocks

BLOCK = re.compile(r"^(?:<!-- not walked: ([^\n]*) -->\n)?```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FELL_SHORT = re.compile(r"^sluice: .*(training goes on|not measured|from outside only)", re.MULTILINE)
FOLDER = "sluice wälk $unset "
FIRST_NUMBER = 47000  # of users that might be nobody's
LONGEST_SECONDS = 1800  # of one command, with the first build in it
SHOWN = 3000  # characters of what a failed command printed


@dataclass(frozen=True)
class Walker:
    """Who walks: `become` comes before each command, `environment` is all that it gets."""

    name: str
    environment: dict
    become: tuple = ()
    number: int = os.getuid()


def whoever_calls(shared):
    """As after logging in: nothing of the environment but what says where things are kept."""
    kept = ("HOME", "LANG", "CCACHE_DIR", "SLUICE_NO_INSTALL")
    return Walker(f"uid {os.getuid()}", _environment({name: os.environ[name] for name in kept if name in os.environ}, shared))


def without_rights(home, shared):
    number = unused_number()
    become = ("setpriv", f"--reuid={number}", f"--regid={number}", "--clear-groups", "--no-new-privs")
    return Walker(f"uid {number}", _environment({"HOME": str(home), "LANG": "C"}, shared, "|read-only"), become, number)


def _environment(given, shared, rule=""):
    """`shared`: where ccache leaves for the second walk what it has found or made in the first one."""
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM": "dumb",
            "CCACHE_REMOTE_STORAGE": f"file:{quote(str(shared))}{rule}", "CCACHE_RESHARE": "1", **given}


def unused_number():
    """One that is no user's, no group's and no process's."""
    taken = {user.pw_uid for user in pwd.getpwall()} | {group.gr_gid for group in grp.getgrall()}
    taken |= {entry.stat().st_uid for entry in os.scandir("/proc") if entry.name.isdigit() and os.path.exists(entry.path)}
    return next(number for number in range(FIRST_NUMBER, 1 << 16) if number not in taken)


def clone(root, folder):
    target = Path(folder) / "sluice"
    subprocess.run(["git", "clone", "--quiet", "--no-local", str(root), str(target)], check=True)
    return target


def blocks(text):
    """(line, reason not to walk it or None, commands)."""
    for match in BLOCK.finditer(text):
        yield text.count("\n", 0, match.start(2)) + 1, match.group(1), list(shell_blocks.commands(match.group(2)))


def problem_of(command, where, walker):
    """What is wrong with it, or an empty text."""
    with subprocess.Popen([*walker.become, "sh", "-c", command], cwd=where, env=walker.environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"does not end within {LONGEST_SECONDS} s"
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        return f"exit status {process.returncode}\n{output[-SHOWN:]}"
    short = FELL_SHORT.search(output)
    return f"fell short: {short.group(0)}" if short else ""


def walk(where, documents, walker):
    """Returns (commands walked, blocks left out, the first problem or an empty text)."""
    walked, left_out = 0, 0
    for document in documents:
        for line, reason, commands in blocks((where / document).read_text(encoding="utf-8")):
            place = f"{document}:{line}"
            if reason is not None:
                left_out += 1
                print(f"{place}: not walked: {reason}", flush=True)
                continue
            for command in commands:
                begin = time.monotonic()
                problem = problem_of(command, where, walker)
                shown = command.strip().splitlines()[0]
                print(f"{place}: {shown}  [{time.monotonic() - begin:.0f} s]", flush=True)
                if problem:
                    return walked, left_out, f"{place}: {shown}: {problem}"
                walked += 1
    return walked, left_out, ""


def walk_as(walker, root, documents, folder):
    """In a clone of the walker's own. Returns the first problem, or an empty text."""
    begin = time.monotonic()
    where = clone(root, folder)
    give_to(walker, folder)
    print(f"as {walker.name}, in {where}", flush=True)
    walked, left_out, problem = walk(where, documents, walker)
    print(problem or f"as {walker.name}: {walked} commands walked, {left_out} blocks left out, "
                     f"{time.monotonic() - begin:.0f} s", flush=True)
    return problem


def give_to(walker, folder):
    if walker.number != os.getuid():
        subprocess.run(["chown", "-R", f"{walker.number}:{walker.number}", str(folder)], check=True)


def walk_without_rights(root, documents, folder, shared):
    home = folder / "home"
    home.mkdir(parents=True)
    walker = without_rights(home, shared)
    try:
        return walk_as(walker, root, documents, folder)
    finally:
        leave_no_trace(walker.number)


def leave_no_trace(number):
    """Removes the shared memory that the user who is no more would leave: `sluice ls` looks there."""
    for entry in os.scandir("/dev/shm"):
        if entry.stat(follow_symlinks=False).st_uid == number:
            shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="walk_readme.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=lambda text: Path(text).resolve())
    parser.add_argument("documents", nargs="*", default=["README.md"])
    parser.add_argument("--without-rights", nargs="*", metavar="DOCUMENT")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was made is removed then, too
    with tempfile.TemporaryDirectory(prefix=FOLDER, dir=os.environ.get("SLUICE_WALK_FOLDER")) as name:
        folder = Path(name)
        folder.chmod(0o755)
        shared = folder / "compiled"
        problem = walk_as(whoever_calls(shared), options.root, options.documents, folder / "caller")
        if options.without_rights is not None and not problem:
            if os.getuid() == 0:
                documents = options.without_rights or options.documents
                problem = walk_without_rights(options.root, documents, folder / "user", shared)
            else:
                print(f"only root can become another user: walked once, as uid {os.getuid()}")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
