"""A fact as a sentence: by its key's template, by the longest wildcard that fits, else `key: value`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from pathlib import Path

import regex
import yaml

from .relative import has_relative_time
from .text import normalise, one_line

MAX_TEMPLATE = 300

_PLACEHOLDER = regex.compile(r"\{(value|key|topic|about)\}")
_KEY = regex.compile(r"[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)*(?:\.\*)?")


@dataclass(frozen=True)
class Registry:
    """Templates by exact key, and by what stands before `.*` in a wildcard."""

    exact: Mapping[str, str]
    wildcard: Mapping[str, str]

    def find(self, key: str) -> str | None:
        """The template for a key: its own, or that of the longest wildcard above it."""
        if key in self.exact:
            return self.exact[key]
        segments = key.split(".")
        heads = (".".join(segments[:length]) for length in range(len(segments) - 1, 0, -1))
        return next((self.wildcard[head] for head in heads if head in self.wildcard), None)


def render(key: str | None, value: str, *, registry: Registry | None = None, said_on: date | None = None) -> str:
    """The fact as one sentence on one line. `said_on` is added where the value has a time such as "yesterday".

    The value is put in as it is: braces in it mean nothing.
    """
    text = one_line(value)
    if said_on is not None and has_relative_time(text):
        text = f"{text} (said on {said_on.isoformat()})"
    if key is None:
        return text if text.endswith((".", "!", "?", "\u3002")) else f"{text}."
    template = (registry or load_registry(None)).find(key)
    if template is None:
        return f"{key}: {text}"
    parts = {"value": text, "key": key, "topic": _topic(key), "about": _about(key, text)}
    if template.endswith("{value}."):
        parts["value"] = text.rstrip(".") or text
    return _PLACEHOLDER.sub(lambda match: parts[match[1]], template)


def load_registry(path: Path | None) -> Registry:
    """The built-in templates and, over them, those of the operator's YAML file (key: template).

    Raises ValueError with a sentence that names the file, the key and what is wrong with it.
    """
    templates = dict(_built_in())
    if path is not None:
        templates |= _checked(_read(path), str(path))
    return Registry(
        exact={key: text for key, text in templates.items() if not key.endswith(".*")},
        wildcard={key[:-2]: text for key, text in templates.items() if key.endswith(".*")},
    )


@cache
def _built_in() -> Mapping[str, str]:
    text = resources.files(__package__).joinpath("templates.yaml").read_text(encoding="utf-8")
    return _checked(yaml.safe_load(text), "templates.yaml")


def _read(path: Path) -> object:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"The templates file {path} cannot be read: {error}.") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"The templates file {path} is not valid YAML: {one_line(str(error))}.") from error


def _checked(raw: object, where: str) -> dict[str, str]:
    if not isinstance(raw, dict):
        raise ValueError(f"The templates file {where} must hold lines of the form `key: template`.")
    for key, template in raw.items():
        problem = _problem(key, template)
        if problem:
            raise ValueError(f'The templates file {where} has a wrong line for "{key}": {problem}')
    return dict(raw)


def _problem(key: object, template: object) -> str | None:
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        return "the key must be like dog.name or preference.*"
    if not isinstance(template, str) or not template.strip():
        return "the template must be a text"
    if len(template) > MAX_TEMPLATE or "\n" in template.strip():
        return f"the template must be one line of at most {MAX_TEMPLATE} characters"
    rest = _PLACEHOLDER.sub("", template)
    if "{" in rest or "}" in rest:
        return "only {value}, {key}, {topic} and {about} may stand in braces"
    return None if "{value}" in template else "{value} must stand in it"


def _topic(key: str) -> str:
    return key.rpartition(".")[2].replace("_", " ")


def _about(key: str, text: str) -> str:
    """What a preference is about, where the value alone does not say it."""
    topic = _topic(key)
    said = normalise(text)
    return "" if any(word in said for word in topic.split() if len(word) > 2) else f" ({topic})"
