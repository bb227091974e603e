"""Checks what the documents promise: commands that exist, files that exist.

usage: check_docs.py ROOT PROGRAM [--run]

Looks at README.md, CONTRIBUTING.md, docs/*.md and each folder's README.md. In ```sh blocks, a line that
calls sluice or ./run may only use verbs, options and scenario files that there are. Relative links must
lead to a file. With --run, blocks after a line `<!-- run -->` are also executed, and must succeed.
"""
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import shell_blocks

BLOCK = re.compile(r"^(<!-- run -->\n)?```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
SEPARATORS = {"|", "||", "&&", ";", "&", ">", "<"}


@dataclass
class Block:
    where: str
    run: bool
    text: str

    def commands(self):
        """Without the texts of here documents."""
        return [command.splitlines()[0].removeprefix("$ ") for command in shell_blocks.commands(self.text)]


class Program:
    """The options that the program's own help lists."""

    def __init__(self, path):
        self.path = path

    @cache  # noqa: B019 - one program per run
    def help_of(self, verbs):
        done = subprocess.run([self.path, *verbs, "--help"], capture_output=True, text=True, timeout=30)
        return done.stdout if done.returncode == 0 else None

    def options_of(self, verbs):
        return set(OPTION.findall(self.help_of(verbs) or ""))


def documents(root):
    found = tracked(root) or sorted(root.glob("**/*.md"))
    return [path for path in found if path.is_file() and "build" not in path.relative_to(root).parts]


def tracked(root):
    """Empty where git is missing, or the folder is no clone."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--", "*.md"], capture_output=True, text=True)
    except FileNotFoundError:
        return []
    names = listed.stdout.split("\0") if listed.returncode == 0 else []
    return [root / name for name in names if name]


def blocks(path, root):
    text = path.read_text()
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        yield Block(f"{path.relative_to(root)}:{line}", bool(match.group(1)), match.group(2))


def split(line):
    """The words of each simple command of a line, comments and redirections dropped."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words, command = list(lexer), []
    for word in words + [";"]:
        if word in SEPARATORS:
            if command:
                yield command
            command = []
        else:
            command.append(word)


def sluice_arguments(words):
    """What is handed to sluice, or None when the command is another."""
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words = words[1:]
    if not words:
        return None
    name = words[0]
    if name in ("./run", "run"):
        scenario_given = len(words) > 1 and not words[1].startswith("-")
        return ["run"] + (words[1:] if scenario_given else ["imagenet"] + words[1:])
    return words[1:] if name == "sluice" or name.endswith("/bin/sluice") else None


def verbs_of(program, arguments):
    """The leading words that are verbs: as long as their help exists and differs from the one before."""
    verbs = ()
    for word in arguments:
        if word.startswith("-") or program.help_of(verbs + (word,)) in (None, program.help_of(verbs)):
            break
        verbs += (word,)
    return verbs


def command_problems(program, root, arguments):
    if "--" in arguments:
        arguments = arguments[: arguments.index("--")]  # what follows is a command of the user's
    verbs = verbs_of(program, tuple(arguments))
    first = next((word for word in arguments if not word.startswith("-")), None)
    if not verbs and first and first.islower() and first.isalpha() and first not in ("SCENARIO", "VERB"):
        yield f"there is no verb {first}"
    known = program.options_of(verbs)
    for word in arguments[len(verbs):]:
        option = OPTION.match(word)
        if option and option.group(0) not in known | {"--help"}:
            yield f"sluice {' '.join(verbs)} has no option {option.group(0)}"
    rest = arguments[len(verbs):]
    if verbs == ("run",) and rest and rest[0][:1].islower() and not rest[0].startswith(("my", "build/")):
        if not (root / rest[0]).is_file() and not (root / "scenarios" / f"{rest[0]}.toml").is_file():
            yield f"there is no scenario {rest[0]}"


def block_problems(program, root, block):
    for line in block.commands():
        for words in split(line):
            arguments = sluice_arguments(words)
            if arguments is not None:
                for problem in command_problems(program, root, arguments):
                    yield f"{block.where}: {problem}"


def link_problems(path, root):
    for target in LINK.findall(path.read_text()):
        if "://" not in target and not target.startswith("mailto:") and not (path.parent / target).exists():
            yield f"{path.relative_to(root)}: {target} does not exist"


def run_block(root, program, block):
    folder = str(Path(program.path).parent)
    script = f'set -e; PATH="{folder}:$PATH"; {block.text}'
    done = subprocess.run(["sh", "-c", script], cwd=root, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=600)
    if done.returncode:
        yield f"{block.where}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def main(arguments):
    root, program = Path(arguments[0]).resolve(), Program(str(Path(arguments[1]).resolve()))
    problems, checked, ran = [], 0, 0
    for path in documents(root):
        problems += link_problems(path, root)
        for block in blocks(path, root):
            problems += block_problems(program, root, block)
            checked += 1
            if block.run and "--run" in arguments:
                problems += run_block(root, program, block)
                ran += 1
    for problem in problems:
        print(problem)
    print(f"{checked} blocks checked, {ran} run, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
