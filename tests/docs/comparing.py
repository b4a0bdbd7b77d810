"""Whether what a command said is what the document shows of it: an ellipsis stands for anything."""

from __future__ import annotations

import json
import re
from typing import Any

ANYTHING = "…"


def shows(shown: str, language: str, said: str) -> bool:
    """`shown` as JSON: all that is in it is in what was said. As text: its lines are there, in that order."""
    if language == "json":
        return _within(json.loads(shown), _last_json(said))
    lines = [".*?".join(map(re.escape, line.strip().split(ANYTHING))) for line in shown.splitlines() if line.strip()]
    return re.search(r"[\s\S]*?".join(lines), said) is not None


def _last_json(said: str) -> Any:
    """The last line that is JSON; None where there is none."""
    for line in reversed(said.splitlines()):
        try:
            return json.loads(line)
        except ValueError:
            continue
    return None


def _within(shown: Any, said: Any) -> bool:
    if isinstance(shown, dict):
        return isinstance(said, dict) and all(
            name in said and _within(each, said[name]) for name, each in shown.items()
        )
    if isinstance(shown, list):
        if not isinstance(said, list) or (not shown and said):
            return False
        return len(said) >= len(shown) and all(_within(one, other) for one, other in zip(shown, said, strict=False))
    if isinstance(shown, str) and isinstance(said, str):
        return re.fullmatch(".*".join(map(re.escape, shown.split(ANYTHING))), said, re.DOTALL) is not None
    return bool(shown == said)
