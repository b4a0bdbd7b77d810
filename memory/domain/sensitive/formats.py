"""Keys, tokens and key files that show by their own form what they are (see formats.yaml)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from .data import table
from .looks import generated, placeholder
from .types import SensitiveClass
from .view import View

Raw = tuple[SensitiveClass, int, int, str]

_NOT_INSIDE = "(?<![0-9A-Za-z])"
_BEGIN = re.compile(r"-{2,6}\s?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-{2,6}|PuTTY-User-Key-File-\d:")
_END = re.compile(r"-{2,6}\s?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-{2,6}|Private-MAC: [0-9a-f]{10,}")
# What a block that was cut off before its end is made of.
_BODY = re.compile(
    r"(?:(?:\s|\\n|\\r|[\"+>])*+(?:[A-Za-z0-9+/=]{16,}+|[A-Z][\w-]{2,20}:\x20[^\n]{1,80}+(?=\n)))*+", re.ASCII
)


@dataclass(frozen=True)
class Format:
    """One form of key. `drawn` is the length from which it must look random, 0 if its form says enough."""

    name: str
    starts: tuple[str, ...]
    pattern: re.Pattern[str]
    drawn: int
    identifiers: bool


@cache
def formats() -> tuple[Format, ...]:
    """The table, compiled."""
    return tuple(
        Format(
            name=row["name"],
            starts=tuple(map(str, row["starts"])),
            pattern=re.compile(
                f"{_NOT_INSIDE if not row.get('anywhere') else ''}(?:{row['pattern']})", re.ASCII | re.VERBOSE
            ),
            drawn=row.get("drawn", 0),
            identifiers=row.get("identifiers", False),
        )
        for row in table("formats")
    )


def known_formats(seen: View) -> Iterator[Raw]:
    """Every key in a known form, and every private key block, whole or cut off."""
    for form in formats():
        if not any(start in seen.text for start in form.starts):
            continue
        for match in form.pattern.finditer(seen.text):
            group = match.lastindex or 0
            token = match.group(group)
            if form.drawn and not generated(token, shortest=form.drawn, identifiers=form.identifiers):
                continue
            if group and placeholder(token):
                continue
            yield SensitiveClass.CREDENTIAL, match.start(group), match.end(group), form.name
    yield from _private_keys(seen.text)


def _private_keys(text: str) -> Iterator[Raw]:
    if "PRIVATE KEY" not in text and "PuTTY-User-Key" not in text:
        return
    at = 0
    while begin := _BEGIN.search(text, at):
        end = _END.search(text, begin.end())
        if end is None:
            break
        yield SensitiveClass.CREDENTIAL, begin.start(), end.end(), "private_key"
        at = end.end()
    while begin := _BEGIN.search(text, at):  # nothing ends any more: as far as it looks like a key
        body = _BODY.match(text, begin.end())
        at = body.end() if body else begin.end()
        if at > begin.end():
            yield SensitiveClass.CREDENTIAL, begin.start(), at, "private_key"
