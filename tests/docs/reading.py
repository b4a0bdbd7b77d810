"""What stands in the documentation: blocks, their commands and the output that is shown after them, links, headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tests.processes import ROOT

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[a-z]*)$")
HEADING = re.compile(r"^#{1,6} (.+)$")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
INLINE = re.compile(r"`([^`\n]+)`")
RUN, OUTPUTS = ("sh", "python"), ("text", "json")
# How much may stand between a command and its output, for that to be shown as its output.
NEAR_LINES = 4
ASSIGNMENT = re.compile(r"^[A-Z][A-Z0-9_]*=.*$")


@dataclass(frozen=True)
class Block:
    """A fenced block. `line` is that of its fence; `shown` the block of output right after it, where there is one."""

    document: Path
    line: int
    language: str
    text: str
    end: int
    shown: Block | None = None

    @property
    def name(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}"

    def commands(self) -> list[str]:
        """Line by line; one that ends with a backslash goes on in the next."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [line for line in map(str.strip, lines) if line and not line.startswith("#")]


@cache
def documents() -> list[Path]:
    """README.md, CONTRIBUTING.md and all of docs/."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@cache
def blocks(document: Path) -> list[Block]:
    found = list(_blocks(document))
    for place, block in enumerate(found[:-1]):
        after = found[place + 1]
        if block.language in RUN and after.language in OUTPUTS and after.line - block.end <= NEAR_LINES:
            found[place] = replace(block, shown=after)
    return found


def _blocks(document: Path) -> Iterator[Block]:
    begun: tuple[int, re.Match[str]] | None = None
    held: list[str] = []
    for number, line in enumerate(document.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if begun is None and fence:
            begun, held = (number, fence), []
        elif begun is not None and line.strip() == "```":
            start, opening = begun
            yield Block(document, start, opening["language"], "\n".join(held) + "\n", number)
            begun = None
        elif begun is not None:
            held.append(line.removeprefix(begun[1]["indent"]))
    assert begun is None, f"{document}: a block that begins at line {begun and begun[0]} does not end"


def of_language(*languages: str) -> list[Block]:
    return [block for document in documents() for block in blocks(document) if block.language in languages]


@cache
def prose(document: Path) -> str:
    """The document without its blocks."""
    inside = {n for block in blocks(document) for n in range(block.line, block.end + 1)}
    lines = document.read_text().splitlines()
    return "\n".join(line for number, line in enumerate(lines, 1) if number not in inside)


def links(document: Path) -> list[str]:
    return LINK.findall(re.sub(INLINE, "", prose(document)))


def inline_code(document: Path) -> list[str]:
    return INLINE.findall(prose(document))


@cache
def anchors(document: Path) -> set[str]:
    """The names of its headings, as GitHub makes them."""
    found = [match[1] for line in prose(document).splitlines() if (match := HEADING.match(line))]
    return {re.sub(r"[^\w\- ]", "", LINK.sub("", heading).lower()).replace(" ", "-") for heading in found}
