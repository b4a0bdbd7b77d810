"""What the background work is doing with the person's chats."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, params
from caesar.api.base import MemoryView
from memory import overview, requeue
from memory.models import WorkItem, WorkKind, WorkState

STATES = [state.value for state in WorkState]
KINDS = [kind.value for kind in WorkKind]


class WorkSerializer(serializers.Serializer[WorkItem]):
    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=KINDS)
    state = serializers.ChoiceField(choices=STATES)
    audit_id = serializers.CharField(help_text="The chat that is read.")
    conversation_id = serializers.CharField(source="conversation.public_id")
    said_at = serializers.DateTimeField()
    not_before = serializers.DateTimeField(help_text="When it is due, while it waits.")
    attempts = serializers.IntegerField(help_text="Readings that failed through what the model answered.")
    outages = serializers.IntegerField(help_text="Readings that failed through the provider.")
    outcome = serializers.CharField(help_text="What came of it, once it is done.")
    detail = serializers.JSONField()
    error = serializers.SerializerMethodField(help_text="Why the last reading failed.")
    raw_reply = serializers.CharField(help_text="What the model answered, where it could not be used.")
    model = serializers.CharField()
    prompt_version = serializers.CharField()
    calls = serializers.IntegerField()
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    def get_error(self, item: WorkItem) -> dict[str, str] | None:
        return {"code": item.error_code, "message": item.error} if item.error_code or item.error else None


class WorkList(MemoryView):
    @extend_schema(
        operation_id="listWork",
        summary="List the background work",
        description="Each chat is read for facts, and for its conversation's summary; here is what waits, failed or"
        " was given up, newest first.",
        parameters=[
            docs.query("state", "Only items in this state.", choices=STATES),
            docs.query("kind", "Only this kind of work.", choices=KINDS),
            *docs.PAGE,
        ],
        responses=docs.answers(docs.page_of(WorkSerializer)),
    )
    def get(self, request: Request) -> Response:
        params.only(request, "state", "kind", *docs.PAGE_NAMES)
        state, kind = params.one_of(request, "state", STATES), params.one_of(request, "kind", KINDS)
        with self.scope():
            rows = overview.work_listed(profile_id=self.caller.profile_id, state=state, kind=kind)
            return self.listed(rows, WorkSerializer)


class WorkRetry(MemoryView):
    @extend_schema(
        operation_id="retryWork",
        summary="Read a chat again",
        description="It is due at once, with all its attempts before it.",
        request=None,
        responses=docs.answers(WorkSerializer, 404, 409),
    )
    def post(self, request: Request, item_id: str) -> Response:
        wanted = params.path_number(item_id, "item")
        item: Any = requeue.requeue(profile_id=self.caller.profile_id, item_id=wanted)
        with self.scope():
            item = overview.work_listed(profile_id=self.caller.profile_id).get(id=item.id)
            return Response(WorkSerializer(item).data)
