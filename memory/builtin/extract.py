"""First-person English statements turned into proposals, with no language model.

Every rule here and in `patterns.yaml` prefers to miss a fact over inventing one: what is supposed, asked, quoted,
denied, played or said about somebody else is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import regex

from memory.builtin import corrections, forgetting, play, reading
from memory.builtin.clauses import Clause, clauses, mentions
from memory.builtin.found import Found
from memory.builtin.patterns import Patterns, load
from memory.builtin.summary import summarise
from memory.builtin.text import Sentence, sentences
from memory.domain.types import Cardinality, Message, Op, Proposal, Reply

REST = 400  # characters after a statement in which it may be taken back or turned into a question


def extract(messages: Sequence[Message]) -> Reply:
    """What the person said about themselves in the new messages, in the order in which they said it.

    Messages that are not new are only read to understand corrections. The summary is of the whole chat.
    """
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
    rules = patterns.rules
    earlier, last = list(known), len(known)
    for sentence in sentences(text):
        if rules["takes_it_back"].match(sentence.text):
            del earlier[last:]
        elif rules["scenario"].search(sentence.text):
            break
        elif not rules["reported"].match(sentence.text):
            here = sorted(_statements(sentence, original, patterns), key=lambda each: each.at)
            here = [*forgetting.find(sentence, original), *here, *corrections.find(sentence, original, earlier)]
            last = len(earlier)
            earlier += _one_per_key(here)
    return earlier[len(known) :]


def _statements(sentence: Sentence, original: str, patterns: Patterns) -> Iterator[Found]:
    others = patterns.rules["reports"].search(sentence.text)
    limit = others.end() if others else len(sentence.text)
    for clause in (*clauses(sentence, patterns), *mentions(sentence, patterns)):
        if clause.start >= limit:
            continue
        for pattern, match in reading.matches(clause, patterns):
            if not _is_open(sentence, clause, match, patterns):
                yield from reading.facts(pattern, match, clause, sentence, original, patterns)


def _is_open(sentence: Sentence, clause: Clause, match: regex.Match[str], patterns: Patterns) -> bool:
    """Whether the rest of the sentence takes the statement back, or asks about the statement itself."""
    after = max(clause.start, clause.start + match.end() - clause.implied)
    rest = sentence.text[after : after + REST]
    if patterns.rules["undone"].search(rest):
        return True
    if not sentence.asks or clause.at == "mention":
        return False
    return not patterns.rules["asks_next"].search(rest) or bool(patterns.rules["tag_question"].search(rest))


def _one_per_key(found: Iterable[Found]) -> list[Found]:
    """Of several readings of one clause the first pattern wins; a later clause corrects an earlier one."""
    kept: list[Found] = []
    for each in found:
        same = [other for other in kept if other.key == each.key]
        if any(other.value == each.value for other in (*same, *(o for o in kept if o.at == each.at))):
            continue
        if same and each.proposal.cardinality is not Cardinality.MANY and each.proposal.op is not Op.RETRACT:
            if same[0].at == each.at:
                continue
            kept.remove(same[0])
        kept.append(each)
    return kept


def _without_repeats(proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """Each fact once, unless another value of its key was said in between."""
    last: dict[tuple[str | None, str], tuple[str, Op]] = {}
    for proposal in proposals:
        value = proposal.value.casefold()
        slot = (proposal.key, value if proposal.cardinality is Cardinality.MANY else "")
        if last.get(slot) == (value, proposal.op):
            continue
        last[slot] = (value, proposal.op)
        yield proposal
