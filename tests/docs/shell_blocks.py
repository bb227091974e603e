"""The commands in a block of shell code."""
import re

HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")


def commands(text):
    """One after the other, comment lines left out. One that goes over several lines, by a backslash at their end or as a here
    document, is one."""
    lines = iter(text.replace("\\\n", " ").splitlines())
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        opened = HERE_DOCUMENT.search(line)
        if opened:
            line = "\n".join([line, *_until(lines, opened.group(2))])
        yield line


def _until(lines, end):
    for line in lines:
        yield line
        if line.strip() == end:
            return
