"""Checks that each fuzzer has a few small seeds, and a line in the README's table and in CMakeLists.txt.

usage: check_fuzzers.py ROOT     prints each violation, exit code 1 when there is one
"""
import re
import sys
from pathlib import Path

LARGEST_SEED = 4 * 1024  # bytes
LARGEST_CORPUS = 150 * 1024


def fuzzers_in(folder):
    return {source.stem for source in folder.glob("*_fuzz.cpp")}


def named_in(path, pattern):
    return set(re.findall(pattern, path.read_text(), re.MULTILINE)) if path.is_file() else set()


def seeds_in(folder):
    return [seed for seed in folder.rglob("*") if seed.is_file()]


def list_violations(folder, fuzzers):
    lists = {"README.md": r"^\| `(\w+)` \|", "CMakeLists.txt": r"^sluice_fuzzer\((\w+)"}
    for name, pattern in lists.items():
        named = named_in(folder / name, pattern)
        yield from (f"{name}: does not name {fuzzer}" for fuzzer in sorted(fuzzers - named))
        yield from (f"{name}: names {fuzzer}, which is not there" for fuzzer in sorted(named - fuzzers))


def seed_violations(corpus, fuzzers):
    for fuzzer in sorted(fuzzers):
        if not seeds_in(corpus / fuzzer):
            yield f"corpus/{fuzzer}: there are no seeds"
    folders = {path.name for path in corpus.glob("*")}
    yield from (f"corpus/{name}: there is no such fuzzer" for name in sorted(folders - fuzzers))
    for seed in seeds_in(corpus):
        if seed.stat().st_size >= LARGEST_SEED:
            yield f"{seed.relative_to(corpus.parent)}: is not below {LARGEST_SEED} bytes"
    if sum(seed.stat().st_size for seed in seeds_in(corpus)) >= LARGEST_CORPUS:
        yield f"corpus: all seeds together are not below {LARGEST_CORPUS} bytes"


def violations(root):
    folder = root / "tests" / "fuzz"
    fuzzers = fuzzers_in(folder)
    return [*list_violations(folder, fuzzers), *seed_violations(folder / "corpus", fuzzers)]


def main():
    found = violations(Path(sys.argv[1]))
    for problem in found:
        print(f"tests/fuzz: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
