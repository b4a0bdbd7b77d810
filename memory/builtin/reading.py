"""One pattern's match turned into keys and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import regex

from memory.builtin import values
from memory.builtin.clauses import Clause
from memory.builtin.found import Found
from memory.builtin.patterns import Pattern, Patterns
from memory.builtin.text import BLANK, Sentence
from memory.domain.types import Op, Proposal

LONGEST_QUOTE = 240
PLAIN_COSTS, HEDGE_COSTS = 0.05, 0.25  # what small letters and "I think" take off a pattern's confidence

_FIELD = regex.compile(r"\{([a-z_]+)\}")


def matches(clause: Clause, patterns: Patterns) -> Iterator[tuple[Pattern, regex.Match[str]]]:
    """The patterns that fit the beginning of a clause. One typed in one case is also read by the stricter variants."""
    window = clause.window
    for pattern in patterns.by_place[clause.at]:
        found = None if clause.shouted else pattern.cased.match(window)
        if found is None and clause.plain and pattern.plain is not None:
            found = pattern.plain.match(window)
        if found is not None:
            yield pattern, found


def facts(
    pattern: Pattern,
    found: regex.Match[str],
    clause: Clause,
    sentence: Sentence,
    original: str,
    patterns: Patterns,
) -> Iterator[Found]:
    """The facts in a match, each with its quote from the original message."""
    start = sentence.start + clause.start
    end = start + found.end() - clause.implied
    for key, value in _pairs(pattern, found, patterns):
        proposal = Proposal(
            key=key,
            value=value,
            confidence=_confidence(pattern, found, clause),
            category=pattern.category,
            cardinality=pattern.cardinality,
            op=Op.RETRACT if clause.retracts else pattern.op,
            quote=_quote(sentence, original, start, end),
        )
        yield Found(pattern.id, proposal, start)


def _pairs(pattern: Pattern, found: regex.Match[str], patterns: Patterns) -> Iterator[tuple[str, str]]:
    groups = {name: text for name, text in found.groupdict().items() if text is not None}
    raw = _FIELD.sub(lambda field: _word(field[1], groups, patterns.tables), pattern.value)
    for part in values.items(raw) if pattern.several else [values.tidy(raw)]:
        value = values.bare(part) if pattern.bare else part
        unusable = not value or BLANK in value or value.casefold() in patterns.words["never_a_value"]
        if unusable and pattern.op is not Op.RETRACT:
            continue
        yield _key(pattern.key, groups | {"value": value}, patterns.tables), value


def _key(template: str, groups: Mapping[str, str], tables: Mapping[str, Mapping[str, str]]) -> str:
    def fill(field: regex.Match[str]) -> str:
        name = field[1]
        if name == "topic":
            return values.topic(groups["value"], tables["topic"])
        if name == "activity":
            return values.activity(groups.get("doing", groups["value"]))
        return _word(name, groups, tables) if name in tables else values.slug(groups.get(name, ""))

    return str(_FIELD.sub(fill, template))


def _word(name: str, groups: Mapping[str, str], tables: Mapping[str, Mapping[str, str]]) -> str:
    """What a group caught, or what the table of that name has for it."""
    caught = groups.get(name, "")
    if name == "time":  # it may have opened the sentence: "Every morning I swim"
        caught = caught[:1].lower() + caught[1:]
    return tables.get(name, {}).get(" ".join(caught.casefold().split()), caught)


def _confidence(pattern: Pattern, found: regex.Match[str], clause: Clause) -> float:
    cost = (PLAIN_COSTS if found.re is pattern.plain else 0.0) + (HEDGE_COSTS if clause.hedged else 0.0)
    return round(pattern.confidence - cost, 2)


def _quote(sentence: Sentence, original: str, start: int, end: int) -> str:
    """The whole sentence where it can be read at a glance and is all the person's own, else the clause."""
    if len(sentence.text) <= LONGEST_QUOTE and BLANK not in sentence.text:
        return original[sentence.start : sentence.end]
    return original[start:end]
