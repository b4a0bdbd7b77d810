"""What memory holds about a question."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs
from caesar.api.base import MemoryView
from memory import finding


class RecallRequest(serializers.Serializer[Any]):
    """What is asked, and where."""

    query = serializers.CharField(help_text="What is looked for, in plain words.")
    space = serializers.CharField(required=False, help_text="Where it is asked; none: general.")
    k = serializers.IntegerField(required=False, min_value=1, max_value=100, help_text="Most results; 10.")
    at = serializers.DateTimeField(required=False, help_text="As if asked then: nothing that was said later.")
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=finding.KINDS), required=False, help_text="None: all kinds."
    )


class Found(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=["fact", "episode", "passage"])
    id = serializers.CharField()
    text = serializers.CharField()
    score = serializers.FloatField(help_text="By which the results are in order.")
    scores = serializers.DictField(child=serializers.FloatField(), help_text="What the score is made of.")
    why = serializers.CharField(help_text="The rule that let it through.")
    at = serializers.DateTimeField(help_text="When it was said; of an episode, its last turn.")
    source_audit_id = serializers.CharField(allow_null=True)
    source_ids = serializers.ListField(
        child=serializers.CharField(), help_text="The ids that the client gave the messages it is from."
    )
    since_changed = serializers.BooleanField(help_text="It says what no longer holds.")
    role = serializers.CharField(help_text="Who said a passage: user or assistant; else empty.")
    speaker = serializers.CharField(help_text="The name that the client gave who said it; else empty.")


class Results(serializers.Serializer[Any]):
    results = Found(many=True)


class RecallView(MemoryView):
    @extend_schema(
        operation_id="recall",
        summary="Ask memory",
        description=(
            "Facts, past conversations and, where CAESAR_SEMANTIC__ENABLED is set, pieces of raw chat that answer a "
            "question, best first; of several kinds each has its share. No language model is asked and nothing is kept."
        ),
        request=RecallRequest,
        responses=docs.answers(Results, 400, 404),
    )
    def post(self, request: Request) -> Response:
        found = finding.for_request(profile_id=self.caller.profile_id, fields=self.sent)
        return Response({"results": [shown(one) for one in found]})


def shown(one: finding.Result) -> dict[str, Any]:
    audit_id = one.source_audit_id
    return {
        "kind": one.kind,
        "id": one.id,
        "text": one.text,
        "score": one.score,
        "scores": dict(one.scores),
        "why": one.why,
        "at": one.at.isoformat(),
        "source_audit_id": None if audit_id is None else str(audit_id),
        "source_ids": list(one.source_ids),
        "since_changed": one.since_changed,
        "role": one.role,
        "speaker": one.speaker,
    }
