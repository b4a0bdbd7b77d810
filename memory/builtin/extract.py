"""First-person English statements turned into proposals, with no language model.

Every rule here and in `patterns.yaml` prefers to miss a fact over inventing one: what is supposed, asked, quoted, denied,
played or said about somebody else is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import regex

from memory.builtin import corrections, play, values
from memory.builtin.clauses import Clause, clauses, mentions
from memory.builtin.patterns import Pattern, Patterns, load
from memory.builtin.summary import summarise
from memory.builtin.text import BLANK, Sentence, readable, sentences
from memory.domain.types import Cardinality, Category, Message, Op, Proposal, Reply

LONGEST_QUOTE = 240
_PLAIN_COSTS, _HEDGE_COSTS = 0.05, 0.25
_FIELD = regex.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Found:
    """A proposal together with the pattern that made it and where it stands in its message."""

    pattern: str
    proposal: Proposal
    at: int


def extract(messages: Sequence[Message]) -> Reply:
    """What the person said about themselves in the new messages, in the order in which they said it."""
    known: list[Found] = []
    proposals: list[Proposal] = []
    for message, text in play.serious(messages):
        found = find(text, message.text, known)
        known.extend(found)
        if message.new:
            proposals.extend(each.proposal for each in found)
    return Reply(proposals=tuple(_without_repeats(proposals)), summary=summarise(messages))


def find(text: str, original: str, known: Sequence[Found] = ()) -> list[Found]:
    """The facts in one readable text. `original` has the same length and gives the quotes."""
    patterns = load()
    found: list[Found] = []
    for sentence in sentences(text):
        if patterns.rules["takes_it_back"].match(sentence.text):
            found = [each for each in found if each.at < _start_of_last(found)]
            continue
        if patterns.rules["scenario"].search(sentence.text):
            break
        if patterns.rules["reported"].match(sentence.text):
            continue
        here = _in_sentence(sentence, original, patterns)
        here += corrections.find(sentence, original, [*known, *found], Found)
        found.extend(_one_per_key(here))
    return found


def _in_sentence(sentence: Sentence, original: str, patterns: Patterns) -> list[Found]:
    found: list[Found] = []
    reported = patterns.rules["reports"].search(sentence.text)
    limit = reported.end() if reported else len(sentence.text)
    for clause in (*clauses(sentence, patterns), *mentions(sentence, patterns)):
        if clause.start >= limit:
            continue
        for pattern in patterns.by_place[clause.at]:
            match = _match(pattern, clause)
            if match is None or _is_open(sentence, clause, match, patterns):
                continue
            for key, value in _facts(pattern, match, patterns):
                found.append(_found(pattern, key, value, clause, match, sentence, original))
    return sorted(found, key=lambda each: each.at)


def _match(pattern: Pattern, clause: Clause) -> regex.Match[str] | None:
    match = None if clause.plain and clause.window[:12].isupper() else pattern.cased.match(clause.window)
    if match is None and clause.plain and pattern.plain is not None:
        match = pattern.plain.match(clause.window)
    return match


def _is_open(sentence: Sentence, clause: Clause, match: regex.Match[str], patterns: Patterns) -> bool:
    """Whether the sentence asks about the statement, takes it for granted only, or takes it back."""
    rest = sentence.text[max(clause.start, clause.start + match.end() - clause.implied) :]
    if patterns.rules["undone"].search(rest):
        return True
    if not sentence.asks or clause.at == "mention":
        return False
    return not patterns.rules["asks_next"].search(rest) or bool(patterns.rules["tag_question"].search(rest))


def _facts(pattern: Pattern, match: regex.Match[str], patterns: Patterns) -> Iterator[tuple[str, str]]:
    groups = {name: text for name, text in match.groupdict().items() if text is not None}
    raw = _FIELD.sub(lambda field: _word(field[1], groups, patterns.tables), pattern.value)
    parts = values.items(raw) if pattern.several else [values.tidy(raw)]
    for part in parts:
        value = values.bare(part) if pattern.form == "bare" else part
        unusable = not value or BLANK in value or value.casefold() in patterns.words["never_a_value"]
        if unusable and pattern.op is not Op.RETRACT:
            continue
        yield _key(pattern.key, groups | {"value": value}, patterns.tables), value


def _key(template: str, groups: Mapping[str, str], tables: Mapping[str, Mapping[str, str]]) -> str:
    def fill(field: regex.Match[str]) -> str:
        name = field[1]
        if name == "topic":
            return values.topic(groups["value"], dict(tables["topic"]))
        return _word(name, groups, tables) if name in tables else values.slug(groups.get(name, ""))

    return _FIELD.sub(fill, template)


def _word(name: str, groups: Mapping[str, str], tables: Mapping[str, Mapping[str, str]]) -> str:
    """What a group caught, or what the table of that name says for it."""
    caught = groups.get(name, "")
    if name == "time":
        caught = caught[:1].lower() + caught[1:]
    return tables.get(name, {}).get(" ".join(caught.casefold().split()), caught)


def _found(
    pattern: Pattern,
    key: str,
    value: str,
    clause: Clause,
    match: regex.Match[str],
    sentence: Sentence,
    original: str,
) -> Found:
    start = sentence.start + clause.start
    end = start + match.end() - clause.implied
    confidence = pattern.confidence - (_HEDGE_COSTS if clause.hedged else 0.0)
    if clause.plain and match.re is pattern.plain:
        confidence -= _PLAIN_COSTS
    proposal = Proposal(
        key=key,
        value=value,
        confidence=round(confidence, 2),
        category=pattern.category,
        cardinality=pattern.cardinality,
        op=Op.RETRACT if clause.retracts else pattern.op,
        quote=_quote(sentence, original, start, end),
    )
    return Found(pattern.id, proposal, start)


def _quote(sentence: Sentence, original: str, start: int, end: int) -> str:
    """The whole sentence where it is short enough to be read at a glance, else the clause."""
    if len(sentence.text) <= LONGEST_QUOTE and BLANK not in sentence.text:
        return original[sentence.start : sentence.end]
    return original[start:end]


def _one_per_key(found: Sequence[Found]) -> list[Found]:
    """Of several readings of one clause the first pattern wins; a later clause corrects an earlier one."""
    kept: list[Found] = []
    for each in found:
        same = [other for other in kept if other.proposal.key == each.proposal.key]
        if each.proposal.cardinality is Cardinality.MANY or each.proposal.op is Op.RETRACT:
            if any(other.proposal.value.casefold() == each.proposal.value.casefold() for other in same):
                continue
        elif same:
            if same[0].at == each.at:
                continue
            kept.remove(same[0])
        kept.append(each)
    return kept


def _start_of_last(found: Sequence[Found]) -> int:
    return found[-1].at if found else 0


def _without_repeats(proposals: Sequence[Proposal]) -> Iterator[Proposal]:
    """Each fact once, unless another value of its key was said in between."""
    last: dict[tuple[str | None, str], Proposal] = {}
    for proposal in proposals:
        slot = (proposal.key, proposal.value.casefold() if proposal.cardinality is Cardinality.MANY else "")
        before = last.get(slot)
        if before and before.value.casefold() == proposal.value.casefold() and before.op is proposal.op:
            continue
        last[slot] = proposal
        yield proposal


__all__ = ["Category", "Found", "extract", "find", "readable", "replace"]
