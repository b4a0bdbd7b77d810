"""What a reading taught, once the model has answered: salvaged, checked and applied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memory import audit, facts, sensitive, work
from memory.domain.merge import Did, Outcome
from memory.domain.types import Dropped
from memory.judging import Judged

HOLDS_NOTHING = "holds nothing durable"


def apply(claim: work.Claim, found: Judged, costs: work.Costs) -> str:
    """Write what was found and close the items. Returns the outcome in a word.

    Call inside the profile's scope, under the lock on its facts and after the fence.
    """
    told = found.told(prompt_version=costs.prompt_version, model=costs.model)
    outcomes = facts.apply(profile_id=claim.profile_id, told=told, conversation_id=claim.conversation_id)
    if found.refused:
        audit.record(
            sensitive.refusal(claim.profile_id, found.refused, actor="worker", source_audit_ids=claim.audit_ids)
        )
    report = _report(outcomes, found.dropped)
    work.close(claim, report, costs)
    return report.outcome


def skip(claim: work.Claim, why: str, costs: work.Costs) -> str:
    """Close the items of chats that were not worth a call. Call inside the profile's scope."""
    work.close(claim, work.Report("skipped", {"why": why}), costs)
    return "skipped"


def _report(outcomes: Sequence[Outcome], dropped: Sequence[Dropped]) -> work.Report:
    """How many entries became what; a person can read here why something is missing."""
    did = Counter(outcome.did.value for outcome in outcomes)
    detail: dict[str, object] = dict(did)
    if dropped:
        detail["dropped"] = [{"reason": d.reason, "detail": d.detail[:200]} for d in dropped[:50]]
    learned = any(outcome.did not in (Did.REPEATED, Did.ANSWERED, Did.OUTDATED) for outcome in outcomes)
    return work.Report("learned" if learned else "nothing", detail)
