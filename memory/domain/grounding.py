"""Does a proposal stand in the person's own words? The model proposes; this is what decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, tzinfo

import regex

from .claim import Claim, claim_of, match
from .denial import Meaning, Span, is_about_people, is_aside, meaning
from .play import is_meant, played
from .said import Said, said
from .text import normalise
from .types import Grounding, Message, Op, Proposal

ENOUGH = 0.6
NOT_FOUND = "not_found"
DENIED_LATER = "denied_later"

_MAX_SHOWN = 300
_MAX_PLACES = 30
# Keys whose claim is itself a denial, or about what is over.
_DENIAL_KEY = regex.compile(r"dislik|avoid|avers|hate|exclu|restrict|without|never|quit|(?:^|[._])no[nt]?[._]")
# "I can't eat nuts" says what one is allergic to; "I'm not allergic to nuts" does not.
_ALLERGY_KEY = regex.compile(r"allerg|intoleran")
_NO_ALLERGY = regex.compile(r"(?:\bnot|n't|\bno)\s+(?:\w+\s+)?(?:allerg|intoleran)")
_PAST_KEY = regex.compile(r"former|previous|past|(?:^|[._])(?:ex|old|history|was)(?:[._]|$)|hometown|birth")
_DENSE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}]")
_EDGES = " \t\n\"'.,;:!?()[]\u2026\u3002\uff0c\uff01\uff1f"


@dataclass(frozen=True)
class _Standing:
    """One place where a value stands: in which message, from where to where, and how it is meant."""

    index: int
    start: int
    end: int
    meaning: Meaning
    aside: bool

    @property
    def order(self) -> tuple[int, int]:
        return self.index, self.start


def ground(proposal: Proposal, messages: Sequence[Message], *, zone: tzinfo | None = None) -> Grounding:
    """Where the proposal stands in the new messages of the person, and whether it is meant there as their claim.

    With a verbatim quote the value must be plausible from the quote's message, without one (or with one that is
    not verbatim) from some message: at least 60 % of its tokens, every figure exactly. Of several places the last
    one counts where it is said and not denied, asked or imagined. `reason` where not ok: `not_found` or a Meaning.
    An ok grounding with reason `denied_later` was taken back further on. `zone` is the person's, for dates.
    """
    claim = claim_of(proposal.value)
    quote = normalise(proposal.quote).strip(_EDGES) if proposal.quote else ""
    everywhere: list[_Standing] = []
    quoted: list[_Standing] = []
    games = _games(messages)
    for index, message in enumerate(messages):
        if message.role != "user" or not message.new:
            continue
        text = said(message.text, bool(message.document))
        day = message.at.astimezone(zone).date() if message.at else None
        here = [_unless_played(one, text, games[index]) for one in _standings(claim, proposal, index, text, day)]
        everywhere += here
        for start, end in _places(quote, text.text) if here else []:
            inside = [one for one in here if start <= one.start < end]
            # Plausible from the message, but not inside the quote: then the quote is the place.
            place = _standing(claim, proposal, index, text, (start, end))
            quoted += inside or [_unless_played(place, text, games[index])]
    best = _last_said(quoted) or _last_said(everywhere)
    if best is None:
        seen = quoted or everywhere
        return Grounding(False, reason=_worst(seen) if seen else NOT_FOUND)
    text = said(messages[best.index].text, bool(messages[best.index].document))
    later = max(everywhere, key=lambda one: one.order, default=best)
    if later.meaning is Meaning.FORGET and later.order > best.order:
        return Grounding(False, reason=Meaning.FORGET.value)
    taken_back = later.meaning in (Meaning.NEGATED, Meaning.PAST) and later.order > best.order
    return Grounding(
        ok=True,
        message_index=best.index,
        offset=text.offset(best.start),
        quote=_shown(messages[best.index].text, text, best, verbatim=proposal.quote if best in quoted else None),
        reason=DENIED_LATER if taken_back else "",
    )


def _games(messages: Sequence[Message]) -> dict[int, list[Span]]:
    """By the index of each message of the person: what of it is part of a game. Nobody plays in a document."""
    theirs = [index for index, message in enumerate(messages) if message.role == "user" and not message.document]
    return defaultdict(
        list, zip(theirs, played(tuple(said(messages[index].text).text for index in theirs)), strict=True)
    )


def _unless_played(one: _Standing, text: Said, games: Sequence[Span]) -> _Standing:
    """The place, as one that is only imagined where it stands in a game and does not say that it is real."""
    if one.meaning is not Meaning.SAID or not any(start <= one.start < end for start, end in games):
        return one
    sentence = text.text[slice(*text.sentences[text.sentence_at(one.start)])]
    return one if is_meant(sentence) else replace(one, meaning=Meaning.IMAGINED)


def _standings(claim: Claim, proposal: Proposal, index: int, text: Said, day: date | None) -> Iterator[_Standing]:
    """Every place in a message where the value stands: word by word, or enough of it in one sentence."""
    exact = _places(claim.text, text.text)
    if exact:
        places = exact
    else:
        found = match(claim, text, day)
        if not found.complete or found.share(0, len(text.text)) < ENOUGH:
            return
        shares = [(found.share(*sentence), sentence) for sentence in text.sentences]
        # Where the value is spread over several sentences, the best of them counts.
        enough = [pair for pair in shares if pair[0] >= ENOUGH] or [max(shares)]
        places = [place for _, sentence in enough[-_MAX_PLACES:] if (place := found.extent(*sentence))]
    for place in places:
        yield _standing(claim, proposal, index, text, place)


def _standing(claim: Claim, proposal: Proposal, index: int, text: Said, place: tuple[int, int]) -> _Standing:
    aside = is_aside(text.text, text.sentences[text.sentence_at(place[0])], place)
    return _Standing(index, *place, _meaning(proposal, text, place, claim), aside)


def _meaning(proposal: Proposal, text: Said, place: tuple[int, int], claim: Claim) -> Meaning:
    key = proposal.key or ""
    retract = proposal.op is Op.RETRACT
    sentence = text.sentence_at(place[0])
    avoided = _ALLERGY_KEY.search(key) and not _NO_ALLERGY.search(text.text, *text.sentences[sentence])
    found = meaning(
        text.text,
        text.sentences,
        sentence,
        place,
        denial=retract or claim.denies or bool(_DENIAL_KEY.search(key) or avoided),
        past=retract or bool(_PAST_KEY.search(key)),
        person=retract or is_about_people(key),
        value=claim.text,
    )
    # To forget something is what a retraction asks for.
    return Meaning.SAID if retract and found is Meaning.FORGET else found


def _places(wanted: str, text: str) -> list[tuple[int, int]]:
    """Where a folded text stands in another one, as whole words: the last of them, in order."""
    places: list[tuple[int, int]] = []
    at = text.rfind(wanted) if wanted else -1
    while at >= 0 and len(places) < _MAX_PLACES:
        end = at + len(wanted)
        if _is_edge(text, at) and _is_edge(text, end):
            places.append((at, end))
        at = text.rfind(wanted, 0, end - 1)
    return places[::-1]


def _is_edge(text: str, at: int) -> bool:
    """Whether a word may begin or end here. Dense scripts have no such places: there it always may."""
    if not 0 < at < len(text):
        return True
    return not (_in_word(text[at - 1]) and _in_word(text[at]))


def _in_word(char: str) -> bool:
    return char.isalnum() and not _DENSE.match(char)


def _last_said(standings: Sequence[_Standing]) -> _Standing | None:
    """The last claim; a mention in passing counts only where there is nothing better."""
    meant = [one for one in standings if one.meaning is Meaning.SAID]
    return max(meant, key=lambda one: (not one.aside, one.order), default=None)


def _worst(standings: Sequence[_Standing]) -> str:
    """Why none of the places counts: the wish to forget before all else, then what was said last."""
    if any(one.meaning is Meaning.FORGET for one in standings):
        return Meaning.FORGET.value
    return max(standings, key=lambda one: one.order).meaning.value


def _shown(original: str, text: Said, place: _Standing, verbatim: str | None) -> str:
    """The words to show as evidence: the model's verbatim quote, else the sentence in the person's spelling."""
    if verbatim is not None:
        return verbatim.strip()
    start, end = text.sentences[text.sentence_at(place.start)]
    if end - start > _MAX_SHOWN:
        start, end = max(start, place.start - 100), min(end, max(place.start - 100, start) + _MAX_SHOWN)
    stop = text.at[end] if end < len(text.at) else len(original)
    return original[text.offset(start) : stop].strip()
