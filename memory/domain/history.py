"""Which messages of a resent history are new: the longest run of known messages, and what follows it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Seen:
    """A message that was stored before. `parent` is the id of the message before it, if any."""

    id: int
    conversation: str
    parent: int | None
    role: str
    digest: bytes


@dataclass(frozen=True)
class Incoming:
    """A message of a request, by its hash."""

    role: str
    digest: bytes


@dataclass(frozen=True)
class Match:
    """Where a history meets what is stored.

    `conversation` and `last` (id of the last known message) are None where nothing was recognised.
    `fresh` are the indexes of messages that are new in this turn; `known` those of them whose words were
    read before, and which are not read again; `repeated` those that stand at this very place already.
    """

    conversation: str | None
    last: int | None
    fresh: tuple[int, ...]
    known: frozenset[int]
    repeated: frozenset[int] = frozenset()


def match(history: Sequence[Incoming], stored: Iterable[Seen], *, conversation: str | None = None) -> Match:
    """Recognise a history in the stored messages that share a hash with it.

    The last message of the person is being said now, so it is new even where the same words were said before,
    except at the same place (a client that asks for another answer). What stands before it is sent along, by some
    clients without our answers. A run counts only where it holds an answer of ours, or two messages of the person:
    "hi" alone is nobody's conversation. With `conversation`, only that one is looked at, and any run counts.
    """
    named = conversation is not None
    rows = [row for row in stored if conversation is None or row.conversation == conversation]
    by_id = {row.id: row for row in rows}
    live_from = _live_from(history)
    best = _longest(history[:live_from], rows, least=1 if named else 2)
    start, last = (best.end + 1, best.row) if best else (0, None)
    if best:
        conversation = by_id[best.row].conversation
    repeated, last = _asked_again(history, start, last, rows, from_root=named and start == 0)
    read_before = {row.digest for row in rows if row.role == "user"}
    # An earlier message that nobody has seen was edited: it is said anew.
    edited = [i for i in range(start) if history[i].role == "user" and history[i].digest not in read_before]
    fresh = (*edited, *range(start, len(history)))
    known = {i for i in fresh if i < live_from and history[i].role == "user" and history[i].digest in read_before}
    return Match(
        conversation=conversation,
        last=last,
        fresh=fresh,
        known=frozenset(known | repeated),
        repeated=repeated,
    )


def sent_again(history: Sequence[Incoming]) -> Sequence[Incoming]:
    """What a request brings along of what was said before: all but the message that is being said now."""
    return history[: _live_from(history)]


def without(found: Match, history: Sequence[Incoming], digests: Collection[bytes]) -> Match:
    """The match without messages that are sent again and have one of the hashes: they were said off the record."""
    gone = {i for i, message in enumerate(sent_again(history)) if message.digest in digests}
    return replace(found, fresh=tuple(i for i in found.fresh if i not in gone))


def said_there(messages: Sequence[Incoming], last: int | None, rows: Collection[Seen]) -> int:
    """How many of the messages, from the first on, stand among the rows one after the other, the first after `last`."""
    heads: set[int | None] = {last}
    for count, message in enumerate(messages):
        heads = {row.id for row in rows if row.parent in heads and row.digest == message.digest}
        if not heads:
            return count
    return len(messages)


@dataclass(frozen=True)
class _Run:
    length: int
    answers: int
    end: int
    row: int


def _live_from(history: Sequence[Incoming]) -> int:
    """Where what is said now begins: at the person's last message, or after an answer of ours that stands later."""
    for index in range(len(history) - 1, -1, -1):
        if history[index].role == "assistant":
            return index + 1
        if history[index].role == "user":
            return index
    return 0


def _longest(history: Sequence[Incoming], rows: Sequence[Seen], *, least: int) -> _Run | None:
    """The longest run along parents; among equals the one that ends last, then the most recent.

    One without an answer of ours counts from `least` messages on.
    """
    at: dict[bytes, list[Seen]] = {}
    answers_to: dict[int, list[Seen]] = {}
    for row in rows:
        at.setdefault(row.digest, []).append(row)
        if row.role == "assistant" and row.parent is not None:
            answers_to.setdefault(row.parent, []).append(row)
    before: dict[int, _Run] = {}
    best: _Run | None = None
    for index, message in enumerate(history):
        now: dict[int, _Run] = {}
        for row in at.get(message.digest, ()):
            previous = before.get(row.parent) if row.parent is not None else None
            now[row.id] = _Run(
                length=1 + (previous.length if previous else 0),
                answers=(message.role == "assistant") + (previous.answers if previous else 0),
                end=index,
                row=row.id,
            )
        if message.role == "assistant":
            # A client may have changed our answer's white space or cut its thoughts: the run goes on past it.
            for run in before.values():
                for child in answers_to.get(run.row, ()):
                    now.setdefault(child.id, _Run(run.length, run.answers, index, child.id))
        for run in now.values():
            counts = run.answers > 0 or run.length >= least
            if counts and (best is None or (run.length, run.end, run.row) > (best.length, best.end, best.row)):
                best = run
        before = now
    return best


def _asked_again(
    history: Sequence[Incoming], start: int, last: int | None, rows: Sequence[Seen], *, from_root: bool
) -> tuple[frozenset[int], int | None]:
    """Messages after the run that stand at the same place already: the same request, sent again."""
    if last is None and not from_root:
        return frozenset(), last
    repeated = set()
    for index in range(start, len(history)):
        child = next((r for r in rows if r.parent == last and r.digest == history[index].digest), None)
        if child is None:
            break
        repeated.add(index)
        last = child.id
    return frozenset(repeated), last
