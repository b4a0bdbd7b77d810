"""Whether a key holds one value or many: it belongs to the key, not to what a model happens to say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .known import Claim, Known
from .types import Cardinality, Op

# `x.*` stands for x and everything below it. The most specific line wins.
_USUAL = {
    Cardinality.ONE: """
        name name.* nickname pronouns age birth_date birth_year birth_place nationality timezone marital_status email
        phone address.* native_language work.* education.school education.degree education.field schedule.* routine.*
        spouse.* mother.* father.* preference.* favourite.* diet car shoe_size injury dog.* cat.* child.*
        friend.* sibling.* brother.* sister.*
    """,
    Cardinality.MANY: """
        dog.name cat.name pet pet.* child.name friend.name sibling.name brother.name sister.name language hobby hobby.*
        interest interest.* skill skill.* instrument sport collection craft allergy allergy.* like like.* dislike
        dislike.* preference goal goal.* project device medication membership subscription work.former_employer bike
        plant
    """,
}
_TABLE = {key: cardinality for cardinality, keys in _USUAL.items() for key in keys.split()}
HEADS = frozenset(key.partition(".")[0] for key in _TABLE)


def usual(key: str) -> Cardinality | None:
    """What the table says about a canonical key, or None where it does not know it."""
    if key in _TABLE:
        return _TABLE[key]
    segments = key.split(".")
    heads = (".".join(segments[:length]) for length in range(len(segments), 0, -1))
    return next((_TABLE[f"{head}.*"] for head in heads if f"{head}.*" in _TABLE), None)


def cardinality_of(
    key: str | None, proposed: Cardinality | None, known: Cardinality | None, op: Op = Op.SET
) -> Cardinality:
    """The cardinality that counts: what the profile has for the key, then the table, then the proposal's.

    A narrative fact (no key) is always one of many. A key that nobody knows holds one value, unless the
    proposal is to add to it.
    """
    if key is None:
        return Cardinality.MANY
    return known or usual(key) or proposed or (Cardinality.MANY if op is Op.ADD else Cardinality.ONE)


def of_one_kind(claims: Sequence[Claim], known: Iterable[Known]) -> list[Claim]:
    """The claims with the cardinality of their keys: what the profile's facts that hold have, else many if one has."""
    kinds: dict[str | None, Cardinality] = {}
    for fact in known:
        if fact.state == "current" and not fact.closes:
            kinds[fact.key] = _wider(fact.cardinality, kinds.get(fact.key))
    told: dict[str | None, Cardinality] = {}
    for claim in claims:
        if claim.op is not Op.RETRACT:
            told[claim.key] = _wider(claim.cardinality, told.get(claim.key))
    kinds = told | kinds
    return [replace(claim, cardinality=kinds.get(claim.key, claim.cardinality)) for claim in claims]


def _wider(one: Cardinality, other: Cardinality | None) -> Cardinality:
    return Cardinality.MANY if Cardinality.MANY in (one, other) else Cardinality.ONE
