"""What a profile does with sensitive matters: refusals, logged by class alone, and redaction of what is kept."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from memory import audit
from memory.db import profile_scope
from memory.domain.sensitive import DEFAULT, Handling, Policy, SensitiveClass, decide, find, redact
from memory.domain.text import normalise
from memory.domain.types import Proposal
from memory.errors import InvalidInput
from memory.models import Event, Fact, Profile

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
    findings = [*find(proposal.value, key=proposal.key)]
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
    *, profile_id: uuid.UUID, value: Any, key: Any = None, fact_id: uuid.UUID | None = None, actor: str = "person"
) -> None:
    """Refuse what a person writes into a fact where its class is never kept. Opens its own scope, so that the
    refusal is logged although nothing else is written.

    Raises SensitiveRefused.
    """
    if not isinstance(value, str):
        return  # something else says what is wrong with it
    with profile_scope(profile_id):
        if fact_id is not None:
            key = Fact.objects.filter(id=fact_id).values_list("key", flat=True).first()
        profile = Profile.objects.filter(id=profile_id).first()
        if profile is None:
            return
        handling, classes = decide(find(value, key=key if isinstance(key, str) else None), policy_of(profile))
        if handling is not Handling.NEVER:
            return
        audit.record(refusal(profile_id, classes, actor=actor))
    named = " and ".join(NAMES[cls] for cls in classes)
    raise SensitiveRefused(f"This looks like {named}, which is never kept as memory. Nothing was stored.")


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
        text, findings = redact(audit.clamp(value, audit.MAX_CHAT_TEXT))
        found.update(finding.cls.value for finding in findings)
        return text
    if isinstance(value, dict):
        return {name: redacted(inner, found) for name, inner in value.items()}
    if isinstance(value, Collection):
        return [redacted(inner, found) for inner in value]
    return value
