"""Checks the tree against rooms.txt: the includes, the links, the cycles, the READMEs.

usage: check_includes.py ROOT [TABLE]     prints each violation, exit code 1 when there is one
"""
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

SUFFIXES = {".h", ".cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
LINK = re.compile(r"\bsluice::(\w+)")
# Folders of tests that meet rooms on purpose; every other tests/<room> sees what the room sees.
TESTS_OF_EVERYTHING = {"architecture", "fuzz", "package", "python", "scenarios", "stress", "support"}
# Of these, those that also look at what is private to a room: many parsers are.
TESTS_OF_PRIVATE_PARTS = {"fuzz"}
MOST_UNITS = 15  # a header and its source are one; in a room that has parts, of each


@dataclass
class Room:
    name: str
    folder: str
    allowed: set = field(default_factory=set)


def read_table(path):
    rooms = {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            name, folder, allowed = (part.strip() for part in line.split(":"))
            rooms[name] = Room(name, folder, set(allowed.split()) - {"-"})
    return rooms


class Tree:
    """The sources below `root`, and which room each belongs to."""

    def __init__(self, root, rooms):
        self.root = root
        self.rooms = rooms
        self.by_depth = sorted(rooms.values(), key=lambda room: -len(room.folder))
        folders = sorted({room.folder.split("/")[0] for room in rooms.values()} | {"tests"})
        self.files = {
            path.relative_to(root).as_posix(): path.read_text(errors="replace")
            for folder in folders
            for path in sorted((root / folder).rglob("*"))
            if path.suffix in SUFFIXES and path.is_file()
        }

    def room_of(self, file):
        """The room of a file; of a test, the room it tests; None for tests of everything."""
        if file.startswith("tests/"):
            return self.rooms.get(file.split("/")[1])
        return next((room for room in self.by_depth if file.startswith(room.folder + "/")), None)

    def includes(self, file):
        return [(match.group(1) == '"', match.group(2)) for match in INCLUDE.finditer(self.files[file])]

    def resolve(self, file, name):
        """The file of ours that an include names, or None for a stranger's header."""
        for folder in self.search_path(file):
            candidate = f"{folder}/{name}"
            if candidate in self.files:
                return candidate
        return None

    def search_path(self, file):
        yield file.rsplit("/", 1)[0]
        for room in self.rooms.values():
            yield f"{room.folder}/include"
        if file.startswith("tests/"):
            yield "tests"
        room = self.room_of(file)
        if room:
            yield f"{room.folder}/src"
        if file.startswith("tests/") and file.split("/")[1] in TESTS_OF_PRIVATE_PARTS:
            yield from (f"{any_room.folder}/src" for any_room in self.rooms.values())


def visible(tree, file):
    """The names of the rooms that a file may include."""
    room = tree.room_of(file)
    if room is None:
        return set(tree.rooms)
    return room.allowed | {room.name}


def check_include(tree, file, name, quoted):
    public = re.match(r"sluice/(\w+)/", name)
    if public:
        if public.group(1) not in tree.rooms:
            return f"includes {name}, and there is no room {public.group(1)}"
        if public.group(1) not in visible(tree, file):
            return f"may not include {public.group(1)} ({name})"
        if not tree.resolve(file, name):
            return f"includes {name}, which does not exist"
        return None
    if not quoted:
        return None
    if ".." in name.split("/"):
        return f"climbs out of its folder ({name})"
    if not tree.resolve(file, name):
        owner = next((other for other in tree.files if other.endswith("/" + name)), None)
        if owner:
            return f"reaches into {owner}, which is private there"
    return None


def include_violations(tree):
    for file in tree.files:
        if file.startswith("tests/"):
            folder = file.split("/")[1]
            if folder not in tree.rooms and folder not in TESTS_OF_EVERYTHING:
                yield f"{file}: no room is called {folder}; the tests mirror the folders"
        for quoted, name in tree.includes(file):
            problem = check_include(tree, file, name, quoted)
            if problem:
                yield f"{file}: {problem}"


def header_violations(tree):
    for file in tree.files:
        match = re.search(r"/include/sluice/(\w+)/", file)
        room = tree.room_of(file)
        if match and room and match.group(1) != room.name:
            yield f"{file}: a public header of {room.name} belongs in include/sluice/{room.name}/"
        if file.endswith(".h") and "#pragma once" not in tree.files[file]:
            yield f"{file}: lacks #pragma once"


def link_violations(tree):
    for room in tree.rooms.values():
        lists = tree.root / room.folder / "CMakeLists.txt"
        text = lists.read_text() if lists.is_file() else ""
        for linked in LINK.findall(re.sub(r"#.*", "", text)):
            if linked in tree.rooms and linked != room.name and linked not in room.allowed:
                yield f"{room.folder}/CMakeLists.txt: may not link {linked}"


def readme_violations(tree):
    for room in tree.rooms.values():
        folder = tree.root / room.folder
        if (folder / "CMakeLists.txt").is_file() and not (folder / "README.md").is_file():
            yield f"{room.folder}: has no README.md"
            continue
        sources = (file for file in tree.files if not file.startswith("tests/") and tree.room_of(file) is room)
        yield from unnamed(folder / "README.md", sources)
    python = tree.root / "python"
    yield from unnamed(python / "README.md", (path.relative_to(python) for path in python.glob("sluice/**/*.py")))


def unnamed(readme, sources):
    """The sources that a README does not name, a header and its source being one name."""
    text = readme.read_text() if readme.is_file() else ""
    words = set(re.findall(r"\w+", text))
    for stem in sorted({Path(source).stem for source in sources} - words):
        yield f"{readme.parent.name}/README.md: does not name {stem}"


def find_cycle(edges):
    """One cycle of a graph given as {node: successors}, as a list of nodes, or None."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for successor in edges.get(node, ()):
            cycle = visit(successor)
            if cycle:
                return cycle
        done.add(path.pop())
        return None

    return next((cycle for cycle in map(visit, list(edges)) if cycle), None)


def cycle_violations(tree):
    rooms = find_cycle({room.name: sorted(room.allowed) for room in tree.rooms.values()})
    if rooms:
        yield "rooms in a circle: " + " -> ".join(rooms)
    files = {
        file: [found for _, name in tree.includes(file) if (found := tree.resolve(file, name))]
        for file in tree.files
    }
    circle = find_cycle(files)
    if circle:
        yield "includes in a circle: " + " -> ".join(circle)


def part_of(tree, file):
    """The folder below a room's src/ that a file is in, or None."""
    room = tree.room_of(file)
    source = re.match(rf"{room.folder}/src/(\w+)/", file) if room and not file.startswith("tests/") else None
    return f"{room.folder}/{source.group(1)}" if source else None


def part_violations(tree):
    """Rooms that are divided: no include runs back up, and nobody has to search."""
    edges, units = {}, {}
    for file in tree.files:
        part = part_of(tree, file)
        if part is None:
            continue
        units.setdefault(part, set()).add(Path(file).stem)
        into = {part_of(tree, found) for _, name in tree.includes(file) if (found := tree.resolve(file, name))}
        edges.setdefault(part, set()).update(into - {part, None})
    circle = find_cycle({part: sorted(into) for part, into in edges.items()})
    if circle:
        yield "parts in a circle: " + " -> ".join(circle)
    for part, names in units.items():
        if len(names) > MOST_UNITS:
            yield f"{part}: {len(names)} units, more than {MOST_UNITS}; divide it"


def violations(root, rooms):
    tree = Tree(root, rooms)
    checks = (include_violations, header_violations, link_violations, readme_violations, cycle_violations, part_violations)
    return [problem for check in checks for problem in check(tree)]


def main(arguments, find=violations, words="violations of"):
    """Prints what find(root, rooms) finds, and how much; returns the exit status."""
    root = Path(arguments[0])
    table = Path(arguments[1]) if len(arguments) > 1 else Path(__file__).with_name("rooms.txt")
    found = find(root, read_table(table))
    for problem in found:
        print(problem)
    print(f"{len(found)} {words} {table.name}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
