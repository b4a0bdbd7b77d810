"""Answers to what waits for review, and steps back: approve, reject, revert, undelete, many at once."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, params
from caesar.api.base import MemoryView
from caesar.api.facts import FactChanges, FactSerializer, FactView, version_of
from memory import facts, selectors
from memory.domain.review import Effect
from memory.errors import InvalidInput

ACTIONS: dict[str, Callable[..., facts.Bulk]] = {
    "approve": facts.approve_many,
    "reject": facts.reject_many,
    "delete": facts.delete_many,
}
EFFECTS = (Effect.REPLACES.value, Effect.CLOSES.value)


class VersionOnly(serializers.Serializer[Any]):
    """Nothing has to be sent."""

    version = serializers.IntegerField(required=False, help_text="The version you saw. Somebody changed it: 409.")


class FactApprove(FactView):
    @extend_schema(
        operation_id="approveFact",
        summary="Approve a proposal",
        description="Corrections may be sent with it. A single value that it replaces becomes history; a proposal that"
        " something is over closes it. The answer is the fact that holds now.",
        request=FactChanges,
        responses=docs.answers(FactSerializer, 404, 409),
    )
    def post(self, request: Request, fact_id: str) -> Response:
        changes, version = version_of(self.sent)
        wanted = params.path_uuid(fact_id, "fact")
        fact = facts.approve(profile_id=self.caller.profile_id, fact_id=wanted, changes=changes, version=version)
        return self.shown(str(fact.id))


class _Step(FactView):
    """A verb that takes a fact and perhaps the version that was seen."""

    verb: Callable[..., Any]

    def step(self, fact_id: str) -> Response:
        rest, version = version_of(self.sent)
        if rest:
            raise InvalidInput(f"Not a field here: {', '.join(sorted(rest))[:200]}. There is: version.")
        wanted = params.path_uuid(fact_id, "fact")
        fact = type(self).verb(profile_id=self.caller.profile_id, fact_id=wanted, version=version)
        return self.shown(str(fact.id))


class FactReject(_Step):
    verb = staticmethod(facts.reject)

    @extend_schema(
        operation_id="rejectFact",
        summary="Reject a proposal",
        description="That claim is not raised again.",
        request=VersionOnly,
        responses=docs.answers(FactSerializer, 404, 409),
    )
    def post(self, request: Request, fact_id: str) -> Response:
        return self.step(fact_id)


class FactRevert(_Step):
    verb = staticmethod(facts.revert)

    @extend_schema(
        operation_id="revertFact",
        summary="Bring a former value back",
        description="What holds instead becomes history. From then on it is your own word.",
        request=VersionOnly,
        responses=docs.answers(FactSerializer, 404, 409),
    )
    def post(self, request: Request, fact_id: str) -> Response:
        return self.step(fact_id)


class FactUndelete(FactView):
    @extend_schema(
        operation_id="undeleteFact",
        summary="Take a deletion back",
        description="As long as its text is not purged. Where another value holds by now it becomes history.",
        request=None,
        responses=docs.answers(FactSerializer, 404, 409),
    )
    def post(self, request: Request, fact_id: str) -> Response:
        wanted = params.path_uuid(fact_id, "fact")
        return self.shown(str(facts.undelete(profile_id=self.caller.profile_id, fact_id=wanted).id))


class ConflictSerializer(serializers.Serializer[selectors.Replacement]):
    """A proposal beside the fact that it would replace or close."""

    effect = serializers.ChoiceField(choices=EFFECTS)
    proposed = FactSerializer()
    current = FactSerializer()


class FactConflicts(MemoryView):
    @extend_schema(
        operation_id="listConflicts",
        summary="List proposed changes",
        description="Each pending change beside what it would replace or close, newest first, on one page.",
        responses=docs.answers(docs.page_of(ConflictSerializer)),
    )
    def get(self, request: Request) -> Response:
        params.only(request)
        with self.scope():
            found = self.many(selectors.conflicts(profile_id=self.caller.profile_id), ConflictSerializer)
        return Response({"next": None, "previous": None, "results": found})


class BulkRequest(serializers.Serializer[Any]):
    action = serializers.ChoiceField(choices=list(ACTIONS))
    ids = serializers.ListField(child=serializers.CharField())
    dry_run = serializers.BooleanField(required=False, help_text="Only say what would happen.")


class BulkReplaced(serializers.Serializer[Any]):
    id = serializers.CharField()
    value = serializers.CharField()


class BulkLine(serializers.Serializer[Any]):
    id = serializers.CharField()
    did = serializers.CharField(help_text="adds, replaces, confirms, closes, nothing, rejected, deleted or skipped.")
    key = serializers.CharField(allow_null=True)
    value = serializers.CharField()
    replaces = BulkReplaced(many=True)
    why = serializers.CharField(help_text="Why it was skipped.")


class BulkAnswer(serializers.Serializer[Any]):
    action = serializers.ChoiceField(choices=list(ACTIONS))
    dry_run = serializers.BooleanField()
    counts = serializers.DictField(child=serializers.IntegerField())
    results = BulkLine(many=True)


class FactBulk(MemoryView):
    @extend_schema(
        operation_id="answerFacts",
        summary="Approve, reject or delete many",
        description="In one step, in the order in which things were said. With `dry_run` nothing is changed.",
        request=BulkRequest,
        responses=docs.answers(BulkAnswer),
    )
    def post(self, request: Request) -> Response:
        action, ids, dry_run = _bulk(self.sent)
        done = ACTIONS[action](profile_id=self.caller.profile_id, ids=ids, dry_run=dry_run)
        lines = [
            {
                "id": str(line.id),
                "did": line.did,
                "key": line.key,
                "value": line.value,
                "replaces": [{"id": str(fact_id), "value": value} for fact_id, value in line.replaces],
                "why": line.why,
            }
            for line in done.lines
        ]
        return Response({"action": action, "dry_run": done.dry_run, "counts": done.counts, "results": lines})


def _bulk(sent: dict[str, Any]) -> tuple[str, list[uuid.UUID], bool]:
    unknown = sorted(set(sent) - {"action", "ids", "dry_run"})
    if unknown:
        raise InvalidInput(f"Not a field here: {', '.join(unknown)[:200]}. There are: action, ids, dry_run.")
    action, ids, dry_run = sent.get("action"), sent.get("ids"), sent.get("dry_run", False)
    if not isinstance(action, str) or action not in ACTIONS:
        raise InvalidInput(f"action is one of {', '.join(ACTIONS)}.")
    if not isinstance(dry_run, bool):
        raise InvalidInput("dry_run is true or false.")
    if not isinstance(ids, list):
        raise InvalidInput("ids is a list of ids of facts.")
    try:
        return action, [params.uuid_of(raw) for raw in ids], dry_run
    except (TypeError, ValueError):
        raise InvalidInput("ids is a list of ids of facts.") from None
