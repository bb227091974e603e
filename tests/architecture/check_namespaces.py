"""Checks that each file opens the namespace of its room and no other, so that no two rooms define the same name.

usage: check_namespaces.py ROOT [TABLE]     prints each violation, exit code 1 when there is one
"""
import re
import sys

import check_includes

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
PIECE = re.compile(
    r"\bnamespace\b(?P<opened>[\w:\s]*)\{|(?P<brace>[{}])|\busing\s+namespace\s+(?P<used>[\w:]+)"
    r"|\b(?:class|struct|union|enum)\s+(?P<type>\w+)")
C_NAME = "sluice_"  # what C programs see lies in no namespace


def namespace_of(tree, file):
    """That of the file's room; of tests of everything, one that is called like their folder."""
    room = tree.room_of(file)
    name = room.name if room else file.split("/")[1]
    return "sluice" if name == "base" else f"sluice::{name}"


def belongs(tree, path, own):
    if own == "sluice":  # which the other rooms' lie in
        return path.split("::")[0] == own and not set(path.split("::")[1:2]) & set(tree.rooms)
    return path == own or path.startswith(own + "::")


def problems(tree, file, text):
    own = namespace_of(tree, file)
    around = []  # of each open brace: the name of the namespace, "" where it is none or has none
    for piece in PIECE.finditer(NOT_CODE.sub("", text)):
        if piece["brace"] == "}":
            around.pop()
        elif piece["brace"]:
            around.append("")
        elif piece["opened"] is not None:
            around.append(piece["opened"].strip())
            path = "::".join(filter(None, around))
            if around[-1] and not belongs(tree, path, own):
                yield f"opens {path}, and its own is {own}"
        elif piece["used"] and not file.startswith("tests/") and piece["used"].split("::")[0] in {"sluice", *tree.rooms}:
            yield f"opens all of {piece['used']}; write out what it needs"
        elif piece["type"] and not around and not piece["type"].startswith(C_NAME):
            yield f"defines {piece['type']} outside of {own}"


def texts(tree):
    """The files of the rooms and their tests, and those that CMake makes headers of."""
    made = (path for room in tree.rooms.values() for path in (tree.root / room.folder).rglob("*.h.in"))
    yield from tree.files.items()
    yield from {path.relative_to(tree.root).as_posix(): path.read_text() for path in made}.items()


def violations(root, rooms):
    tree = check_includes.Tree(root, rooms)
    return [f"{file}: {problem}" for file, text in texts(tree) for problem in problems(tree, file, text)]


if __name__ == "__main__":
    sys.exit(check_includes.main(sys.argv[1:], violations, "namespaces beside"))
