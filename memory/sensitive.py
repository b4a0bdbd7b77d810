"""What a profile does with sensitive matters: refusals, logged by class alone, and redaction of what is kept."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from memory import audit
from memory.db import profile_scope
from memory.domain.sensitive import DEFAULT, Finding, Handling, Policy, SensitiveClass, decide, find, redact
from memory.domain.text import clamp, normalise
from memory.domain.types import Proposal
from memory.errors import InvalidInput
from memory.models import Event, Fact, FactState, Profile

NAMES = {
    SensitiveClass.CREDENTIAL: "a password or key",
    SensitiveClass.PAYMENT: "payment data",
    SensitiveClass.GOVERNMENT_ID: "an official id",
    SensitiveClass.HEALTH: "a health matter",
    SensitiveClass.SENSITIVE_PERSONAL: "a sensitive personal matter",
}


class SensitiveRefused(InvalidInput):
    """It is of a class that this profile never keeps; nothing was stored."""

    code = "sensitive_refused"


@dataclass(frozen=True)
class Judgement:
    """How a proposal is handled, and for which classes."""

    handling: Handling
    classes: tuple[SensitiveClass, ...]


def policy_of(profile: Profile) -> Policy:
    return Policy.parse(profile.sensitive_policy) if profile.sensitive_policy else DEFAULT


def judge(proposal: Proposal, policy: Policy, *, quote: str) -> Judgement:
    """By its key and value, and by the words around it: a value may be harmless but for the sentence it stands in."""
    findings = [*find(proposal.value, key=proposal.key), *_in_key(proposal.key)]
    if quote:
        value = normalise(proposal.value)
        clean, around = redact(quote, tuple(SensitiveClass))
        if around and value in normalise(quote) and value not in normalise(clean):
            findings += around
    return Judgement(*decide(findings, policy))


def quotable(quote: str, policy: Policy) -> str:
    """The quote without what the profile never keeps."""
    never = [cls for cls in SensitiveClass if policy.of(cls) is Handling.NEVER]
    return redact(quote, never)[0]


def check_own_words(
    *,
    profile_id: uuid.UUID,
    value: Any = None,
    key: Any = None,
    fact_id: uuid.UUID | None = None,
    actor: str = "person",
) -> None:
    """Refuse what a person writes into a fact, or lets a fact say that is there, where its class is never kept.

    Without a `value` it is the fact's own: what was agreed to may have changed since it was proposed. Opens its own
    scope, so that the refusal is logged although nothing else is written. Raises SensitiveRefused.
    """
    with profile_scope(profile_id):
        if fact_id is not None:
            row = Fact.objects.filter(profile_id=profile_id, id=fact_id).exclude(state=FactState.DELETED)
            key, own = row.values_list("key", "value").first() or (None, None)
            value = own if value is None else value
        key = key if isinstance(key, str) else None
        profile = Profile.objects.filter(id=profile_id).first()
        if profile is None or not isinstance(value, str):
            return  # something else says what is wrong with it
        classes = _never(value, key, profile)
        if not classes:
            return
        audit.record(refusal(profile_id, classes, actor=actor))
    raise _refused(classes)


def check_again(fact: Fact, *, actor: str) -> None:
    """As `check_own_words`, of a fact's own value, inside the profile's scope; the caller's transaction goes on.

    Raises SensitiveRefused.
    """
    classes = _never(fact.value, fact.key, fact.profile)
    if classes:
        audit.record(refusal(fact.profile_id, classes, actor=actor))
        raise _refused(classes)


def _never(value: str, key: str | None, profile: Profile) -> tuple[SensitiveClass, ...]:
    """The classes that this is of, where the profile never keeps them."""
    handling, classes = decide([*find(value, key=key), *_in_key(key)], policy_of(profile))
    return classes if handling is Handling.NEVER else ()


def _refused(classes: Iterable[SensitiveClass]) -> SensitiveRefused:
    named = " and ".join(NAMES[cls] for cls in classes)
    return SensitiveRefused(f"This looks like {named}, which is never kept as memory. Nothing was stored.")


def check_key(*, profile_id: uuid.UUID, key: Any, actor: str = "person") -> None:
    """Refuse a name that holds what is never kept. Raises SensitiveRefused."""
    check_own_words(profile_id=profile_id, value="-", key=key, actor=actor)


def _in_key(key: str | None) -> list[Finding]:
    """What a key itself says that it should not: `card_4111_1111_1111_1111`."""
    if key is None or not any(char.isdigit() for char in key):
        return []
    written = key.replace(".", " ")
    loud = find(written.upper(), classes=(SensitiveClass.CREDENTIAL,))  # a key is kept in small letters
    return [*find(written), *find(written.replace("_", " ")), *find(written.replace("_", "-")), *loud]


def refusal(profile_id: uuid.UUID, classes: Iterable[SensitiveClass], *, actor: str, **more: Any) -> audit.Entry:
    """The log's row about a refusal: which classes, never the text."""
    payload = {"classes": sorted({cls.value for cls in classes}), **more}
    return audit.Entry(Event.SENSITIVE_REFUSED, profile_id, payload, actor)


def is_sensitive(value: str, key: str | None) -> bool:
    """Whether a kept fact is to be marked."""
    return bool(find(value, key=key))


def redacted(value: Any, found: set[str]) -> Any:
    """A JSON value for the transcript, without secrets, payment data and official ids; their classes go to `found`."""
    if isinstance(value, str):
        text, findings = redact(clamp(value, audit.MAX_CHAT_TEXT))
        found.update(finding.cls.value for finding in findings)
        return text
    if isinstance(value, dict):
        return {name: redacted(inner, found) for name, inner in value.items()}
    if isinstance(value, Collection):
        return [redacted(inner, found) for inner in value]
    return value
