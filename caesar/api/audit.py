"""What happened."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, params
from caesar.api.base import MemoryView
from memory import overview
from memory.models import AuditLog, Event

EVENTS = [event.value for event in Event]


class AuditSerializer(serializers.Serializer[AuditLog]):
    id = serializers.CharField()
    event_type = serializers.ChoiceField(choices=EVENTS)
    at = serializers.DateTimeField(help_text="When the row was written.")
    said_at = serializers.DateTimeField(allow_null=True, help_text="Of a chat: when it was said.")
    actor = serializers.CharField(help_text="person, operator, worker or system.")
    conversation_id = serializers.SerializerMethodField()
    space = serializers.SerializerMethodField()
    payload = serializers.JSONField(help_text="What the event tells; long texts are cut and say so.")

    def get_conversation_id(self, row: AuditLog) -> str | None:
        return None if row.conversation is None else row.conversation.public_id

    def get_space(self, row: AuditLog) -> str | None:
        return None if row.space is None else row.space.slug


class AuditList(MemoryView):
    @extend_schema(
        operation_id="listAudit",
        summary="List what happened",
        description="Every chat, every change of a fact or setting, newest first.",
        parameters=[
            docs.query("event_type", "Only events of this type.", choices=EVENTS),
            docs.query("since", "Only what happened at this time or later (ISO 8601 with offset)."),
            docs.query("until", "Only what happened before this time."),
            docs.query("conversation_id", "Only what belongs to this conversation."),
            *docs.PAGE,
        ],
        responses=docs.answers(docs.page_of(AuditSerializer)),
    )
    def get(self, request: Request) -> Response:
        params.only(request, "event_type", "since", "until", "conversation_id", *docs.PAGE_NAMES)
        wanted = overview.AuditFilter(
            event_type=params.one_of(request, "event_type", EVENTS),
            since=params.time(request, "since"),
            until=params.time(request, "until"),
            conversation_id=params.text(request, "conversation_id"),
        )
        with self.scope():
            rows = overview.audit_listed(profile_id=self.caller.profile_id, wanted=wanted)
            return self.listed(rows, AuditSerializer)
