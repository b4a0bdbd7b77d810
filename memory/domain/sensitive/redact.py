"""A text with what is sensitive in it replaced; all the rest stays as it was."""

from __future__ import annotations

from collections.abc import Collection

from .find import find
from .types import ALWAYS_REFUSED, Finding, SensitiveClass

# What was taken out can bring a number closer to the word that gives it away.
_ROUNDS = 4


def marker(cls: SensitiveClass) -> str:
    """What stands where something was."""
    return f"[redacted: {cls.value}]"


def redact(
    text: str, classes: Collection[SensitiveClass] = ALWAYS_REFUSED, *, key: str | None = None
) -> tuple[str, tuple[Finding, ...]]:
    """The text with a marker for everything of these classes, and what was found (places in the given text).

    Redacting what was redacted changes nothing. Without findings the text is the very one that was given.
    """
    origin = list(range(len(text) + 1))
    found: list[Finding] = []
    for _ in range(_ROUNDS):
        findings = find(text, key=key, classes=classes)
        if not findings:
            break
        found += [Finding(f.cls, origin[f.start], origin[f.end], f.kind) for f in findings]
        text, origin = _replaced(text, origin, findings)
    return text, tuple(sorted(found, key=lambda f: (f.start, f.end, f.cls.rank)))


def _replaced(text: str, origin: list[int], findings: tuple[Finding, ...]) -> tuple[str, list[int]]:
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for start, end, cls in _joined(findings):
        mark = marker(cls)
        parts += [text[at:start], mark]
        places += origin[at:start]
        places += [origin[start]] * len(mark)
        at = end
    parts.append(text[at:])
    places += origin[at:]
    return "".join(parts), places


def _joined(findings: tuple[Finding, ...]) -> list[tuple[int, int, SensitiveClass]]:
    """Places without overlaps; where two classes meet, the stricter one names the place."""
    joined: list[tuple[int, int, SensitiveClass]] = []
    for found in findings:
        if joined and found.start < joined[-1][1]:
            start, end, cls = joined[-1]
            joined[-1] = (start, max(end, found.end), min(cls, found.cls, key=lambda c: c.rank))
        else:
            joined.append((found.start, found.end, found.cls))
    return joined
