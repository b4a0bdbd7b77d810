"""What may become of a proposal. The model's word alone never makes a fact current."""

from __future__ import annotations

from .denial import Meaning
from .grounding import DENIED_LATER, NOT_FOUND
from .instructions import instruction_like
from .types import Dropped, Grounding, Proposal, Stance, Verdict

AUTO = "auto"
REVIEW = "review"

# The reasons a person may read beside a pending fact. A code may have more behind a colon.
REASONS = {
    "document": "It stands in a document that you gave: say whether it is so.",
    "review": "Everything that is learned waits for you to approve it.",
    "not_asserted:hypothetical": "It was only imagined or supposed.",
    "not_asserted:quoted": "It was quoted from somebody else.",
    "not_asserted:joking": "It was said as a joke or in a game.",
    "not_asserted:negated": "You said that it is not so.",
    "not_asserted:about_someone_else": "It is about somebody else.",
    "not_grounded": "It does not stand in your own words.",
    "not_grounded:negated": "Your own words deny it.",
    "not_grounded:past": "Your own words say that it is over.",
    "not_grounded:imagined": "Your own words only imagine it.",
    "not_grounded:about_someone_else": "Your own words say it of somebody else.",
    "not_grounded:only_asked": "You only asked about it.",
    "other_language": "It is written in a script that you did not write in.",
    "denied_later": "You took it back later in the same conversation.",
    "low_confidence": "The model was not sure of it.",
    "no_confidence": "The model did not say how sure it was.",
    "instruction_like": "It reads like an order to the assistant, not like something about you.",
    "against_pinned": "It contradicts what you wrote or corrected yourself.",
    "deleted_before": "It is what you deleted before, or may be.",
    "kept_in_space": "You keep it in a space, and it was said of everywhere.",
    "read_differently": "An earlier reading of the same conversation found another value.",
    "space_removed": "It held in a space that was removed; everywhere else, something else is known.",
    "waited_there": "It waited for an answer where it was imported from.",
    "several_fit": "Several facts fit, and it does not say which one is meant.",
}


def judge(
    proposal: Proposal,
    grounding: Grounding,
    *,
    approval: str,
    pinned_conflict: bool,
    corrected: bool = False,
    other_language: bool = False,
    document: bool = False,
    min_confidence: float = 0.3,
    review_min_confidence: float = 0.6,
) -> Verdict | Dropped:
    """Current, pending with every reason that holds, or dropped. `approval` is the profile's: auto or review.

    corrected: another claim of the same chat and one-valued key stands further on in the person's words, so this
    one enters history anyway, whatever was said against it later.
    document: it stands in a document and was not said: nothing of it becomes current by itself.
    Dropped is what the person asked to forget and, under review, what is too unsure to bother them with.
    """
    if approval not in (AUTO, REVIEW):
        raise ValueError(f'The approval mode is "{approval}"; it must be "auto" or "review".')
    if grounding.reason == Meaning.FORGET:
        return Dropped("asked_to_forget", "the person asked not to keep it")
    if approval == REVIEW and proposal.confidence is not None and proposal.confidence < review_min_confidence:
        return Dropped("low_confidence", f"{proposal.confidence:.2f} is under {review_min_confidence:.2f}")
    reasons = [*_doubts(proposal, grounding, corrected, min_confidence)]
    if other_language:
        reasons.append("other_language")
    if pinned_conflict:
        reasons.append("against_pinned")
    if document:
        reasons.insert(0, "document")
    elif approval == REVIEW:
        reasons.insert(0, "review")
    return Verdict(current=not reasons, reasons=tuple(reasons))


def explain(code: str) -> str:
    """The sentence for a reason code; for one with an unknown detail, that of the code before its colon."""
    return REASONS.get(code) or REASONS.get(code.partition(":")[0]) or code


def _doubts(proposal: Proposal, grounding: Grounding, corrected: bool, min_confidence: float) -> list[str]:
    doubts = []
    if proposal.stance is not Stance.ASSERTED:
        doubts.append(f"not_asserted:{proposal.stance.value}")
    if not grounding.ok:
        found = grounding.reason not in ("", NOT_FOUND)
        doubts.append(f"not_grounded:{grounding.reason}" if found else "not_grounded")
    elif grounding.reason == DENIED_LATER and not corrected:
        doubts.append("denied_later")
    if proposal.confidence is None:
        doubts.append("no_confidence")
    elif proposal.confidence < min_confidence:
        doubts.append("low_confidence")
    if instruction_like(proposal.value, proposal.key):
        doubts.append("instruction_like")
    return doubts
