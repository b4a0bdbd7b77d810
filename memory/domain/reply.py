"""A model's raw reply, entry by entry: what is usable becomes proposals, the rest says why it is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import regex

from memory.errors import ModelNonsense

from . import salvage
from .entry import read_entry
from .text import clamp, clean, normalise
from .types import Dropped, Proposal, Reply, Stance

MAX_SUMMARY = 2000
MAX_DETAIL = 200
MAX_DETAILS = 10  # of each kind
MAX_NOTES = 50
LISTS = ("facts", "candidates", "memories")
DETAILS = ("decisions", "open_questions", "people")

_THOUGHT = r"think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis"
# The tags of several families of models.
_THOUGHT_END = regex.compile(
    rf"</\s*(?:\w+:)?(?:{_THOUGHT})\s*>|\[/think\]|◁/think▷|<\|channel\|>final(?:<\|message\|>)?|<\|end_of_thought\|>",
    regex.IGNORECASE,
)
_THOUGHT_START = regex.compile(
    rf"<\s*(?:\w+:)?(?:{_THOUGHT})\b[^<>]{{0,80}}>|\[think\]|◁think▷|<\|channel\|>analysis(?:<\|message\|>)?|<\|begin_of_thought\|>",
    regex.IGNORECASE,
)


def parse_reply(raw: str, *, max_facts: int, aliases: Mapping[str, str] | None = None) -> Reply:
    """The proposals, the summary and what was dropped. Raises ModelNonsense where nothing can be used.

    An empty list of facts is a reply ("nothing to learn"); an empty text, prose or a cut before the first
    whole entry is nonsense. Where only the summary is usable, the reply says so. `aliases` are the operator's
    spellings of keys.
    """
    if not raw.strip():
        raise ModelNonsense("The model gave an empty answer.", raw=raw)
    value, complete = _choose(raw)
    entries, no_facts = _entries(value)
    summary, details = _told(value)
    if no_facts and summary is None:
        raise ModelNonsense(no_facts, raw=raw)
    if not complete and not entries and summary is None:
        raise ModelNonsense("The model's answer was cut off before its first entry was whole.", raw=raw)
    proposals, dropped = _read(entries, max_facts, aliases)
    if not complete:
        dropped.append(Dropped("cut_off", "the answer broke off; what came before was kept"))
    return Reply(tuple(proposals), summary, tuple(_few(dropped)), details, no_facts)


def _choose(raw: str) -> tuple[Any, bool]:
    """The first whole value of the right shape, else the first broken one that has something in it."""
    broken: Any = None
    bare: list[Any] = []
    seen = False
    for found in _outside_thoughts(raw):
        seen = True
        value = _unwrapped(found.value)
        if _is_reply(value):
            if found.complete:
                return value, True
            broken = broken if broken is not None else value
        elif found.complete and _is_entry(value):
            bare.append(value)
        elif found.complete and value == [] and broken is None and not bare:
            broken = value
    if bare:
        return bare, True
    if broken is not None:
        return broken, broken == []
    for found in salvage.values(raw):
        # A tag that somebody's words brought into a text of the answer itself ends no thought.
        if found.complete and _is_reply(found.value) and _THOUGHT_END.search(raw, found.start, found.end):
            return found.value, True
    reason = "has JSON in it, but no list of facts" if seen else "has no JSON in it"
    raise ModelNonsense(f"The model's answer {reason}.", raw=raw)


def _outside_thoughts(raw: str) -> Iterator[salvage.Found]:
    """The values behind the last closed thought and before one that was never closed."""
    ends = [match.end() for match in _THOUGHT_END.finditer(raw)]
    text = raw[ends[-1] :] if ends else raw
    thought = _THOUGHT_START.search(text)
    for found in salvage.values(text):
        if thought and found.start > thought.start():
            return
        yield found


def _unwrapped(value: Any) -> Any:
    """`{"result": {"facts": …}}` holds a reply one level down."""
    if isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()
        if isinstance(inner, dict) and _is_reply(inner):
            return inner
    return value


def _is_reply(value: Any) -> bool:
    if isinstance(value, dict):
        named = any(name in value for name in (*LISTS, "summary"))
        return not _is_entry(value) and (named or any(map(_is_list, value.values())))
    return _is_list(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and any(_is_entry(entry) for entry in value)


def _is_entry(value: Any) -> bool:
    return isinstance(value, dict) and "value" in value


def _entries(value: Any) -> tuple[list[Any], str]:
    """The list of facts, or why it is none."""
    if isinstance(value, list):
        return value, ""
    named = [value[name] for name in LISTS if name in value]
    others = (inner for name, inner in value.items() if name not in DETAILS and _is_list(inner))
    facts = next(iter([*named, *others]), None)
    if isinstance(facts, dict):
        facts = [facts] if _is_entry(facts) else _keyed(facts)
    if facts is not None and not isinstance(facts, list):
        return [], "The facts in the model's answer are not a list."
    return facts or [], ""


def _keyed(facts: dict[str, Any]) -> list[Any]:
    """Entries out of `{"dog.name": "Rex", "address.city": {"value": "Graz", …}}`."""
    return [{**entry, "key": key} if _is_entry(entry) else {"key": key, "value": entry} for key, entry in facts.items()]


def _told(value: Any) -> tuple[str | None, dict[str, tuple[str, ...]]]:
    """The summary and the lists beside (or inside) it; no lists without a summary."""
    if not isinstance(value, dict):
        return None, {}
    raw = value.get("summary")
    if isinstance(raw, dict):
        value, raw = {**value, **raw}, raw.get("text", raw.get("summary"))
    if isinstance(raw, list):
        raw = "; ".join(part.strip() for part in raw if isinstance(part, str) and part.strip())
    text = _prose(raw, MAX_SUMMARY)
    if not text:
        return None, {}
    details = {name: _texts(value.get(name)) for name in DETAILS}
    return text, {name: texts for name, texts in details.items() if texts}


def _texts(raw: Any) -> tuple[str, ...]:
    """The texts of a list, each once; of an entry that is an object, the first text in it."""
    found: dict[str, str] = {}
    for entry in raw if isinstance(raw, list) else [raw]:
        if isinstance(entry, dict):
            entry = next((inner for inner in entry.values() if isinstance(inner, str) and inner.strip()), None)
        if text := _prose(entry, MAX_DETAIL):
            found.setdefault(normalise(text), text)
    return tuple(found.values())[:MAX_DETAILS]


def _prose(raw: Any, most: int) -> str:
    return clamp(without_thought_tags(clean(raw)).strip(), most) if isinstance(raw, str) else ""


def without_thought_tags(text: str) -> str:
    """The text without the tags that models put around their thoughts."""
    return _THOUGHT_START.sub("", _THOUGHT_END.sub("", text))


def _read(
    entries: list[Any], max_facts: int, aliases: Mapping[str, str] | None
) -> tuple[list[Proposal], list[Dropped]]:
    kept: dict[tuple[str | None, str, str], Proposal] = {}
    dropped: list[Dropped] = []
    for number, entry in enumerate(entries, 1):
        if len(kept) >= max_facts:
            dropped.append(Dropped("over_cap", f"{len(entries) - number + 1:,} entries"))
            break
        for outcome in read_entry(entry, number, aliases):
            if isinstance(outcome, Dropped):
                dropped.append(outcome)
                continue
            same = (outcome.key, normalise(outcome.value), outcome.op)
            if same in kept:
                kept[same] = _merged(kept[same], outcome)
                dropped.append(Dropped("duplicate", f"entry {number} says the same as one before it"))
            elif len(kept) < max_facts:
                kept[same] = outcome
            else:
                dropped.append(Dropped("over_cap", "1 value of a list"))
    return list(kept.values()), dropped


def _merged(first: Proposal, again: Proposal) -> Proposal:
    """The same claim twice: the more careful reading of how it was meant counts."""
    if first.stance is Stance.ASSERTED and again.stance is not Stance.ASSERTED:
        return replace(first, stance=again.stance)
    return first


def _few(dropped: list[Dropped]) -> Iterator[Dropped]:
    """At most a few dozen of them one by one, the rest counted by reason."""
    yield from dropped[:MAX_NOTES]
    for reason, count in Counter(item.reason for item in dropped[MAX_NOTES:]).items():
        first = next(item for item in dropped[MAX_NOTES:] if item.reason == reason)
        yield first if count == 1 else Dropped(reason, f"{count:,} more entries")
