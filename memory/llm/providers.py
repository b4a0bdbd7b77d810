"""The providers that litellm knows by name, without the seconds and the memory that importing it takes.

`providers.txt` is litellm's own list, one name a line; a test compares them.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_suffix(".txt")
BUILTIN = "builtin"
# What makes vectors without any provider.
IN_PROCESS = frozenset({"local", "onnx"})
USUAL = "builtin, anthropic, openai (any compatible server by its base URL) and ollama"
USUAL_EMBEDDERS = "local, onnx, voyage, openai (any compatible server by its base URL) and ollama"


@cache
def names() -> frozenset[str]:
    """All that may be named in the settings, `builtin` (no litellm) included."""
    return frozenset(FILE.read_text().split()) | {BUILTIN}


def known(name: str) -> str:
    """The name as it is looked up. Raises ValueError with a sentence that says what is near."""
    return _known(name, names(), USUAL)


def embeds(name: str) -> str:
    """The name of what makes vectors: also what runs in this process. Raises ValueError like `known`."""
    return _known(name, (names() - {BUILTIN}) | IN_PROCESS, USUAL_EMBEDDERS)


def _known(name: str, names: frozenset[str], usual: str) -> str:
    name = name.strip().lower()
    if name in names:
        return name
    near = get_close_matches(name, sorted(names), n=3, cutoff=0.65)
    advice = f"did you mean {' or '.join(near)}?" if near else f"the usual ones are {usual}."
    raise ValueError(f"there is no provider {name[:60]!r}: {advice} All of litellm's providers can be named")
