"""The threads that were chatted in, and their end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, params
from caesar.api.base import MemoryView
from memory import overview, prune
from memory.models import Conversation, Fact


class ConversationSerializer(serializers.Serializer[Conversation]):
    id = serializers.CharField(source="public_id", help_text="What a chat sends as conversation_id.")
    space = serializers.CharField(source="space.slug")
    started_at = serializers.DateTimeField()
    last_said_at = serializers.DateTimeField(allow_null=True)


class ConversationList(MemoryView):
    @extend_schema(
        operation_id="listConversations",
        summary="List the conversations",
        description="Those begun last come first.",
        parameters=[*docs.PAGE],
        responses=docs.answers(docs.page_of(ConversationSerializer)),
    )
    def get(self, request: Request) -> Response:
        params.only(request, *docs.PAGE_NAMES)
        with self.scope():
            rows = overview.conversations_listed(profile_id=self.caller.profile_id)
            return self.listed(rows, ConversationSerializer)


class TaughtFact(serializers.Serializer[Any]):
    """A fact that the conversation taught."""

    id = serializers.CharField()
    key = serializers.CharField(allow_null=True)
    value = serializers.CharField()
    deleted = serializers.BooleanField(help_text="Whether it went, too.")


class PrunedSerializer(serializers.Serializer[Any]):
    """What went with a conversation, and what it had taught."""

    id = serializers.CharField(help_text="The conversation.")
    chats = serializers.IntegerField(help_text="How many turns went.")
    facts = TaughtFact(many=True)


class ConversationDetail(MemoryView):
    @extend_schema(
        operation_id="deleteConversation",
        summary="Delete a conversation",
        description="Its text, its summary and all that was made of it go for good. The facts that it taught are listed"
        " and stay with their quotes; with `facts=true` those go that nothing else speaks for.",
        parameters=[docs.query("facts", "Delete the facts too that only this conversation taught.", type=bool)],
        responses=docs.answers(PrunedSerializer, 404),
    )
    def delete(self, request: Request, conversation_id: str) -> Response:
        params.only(request, "facts")
        gone = prune.prune(
            profile_id=self.caller.profile_id,
            conversation_id=conversation_id,
            with_facts=params.flag(request, "facts"),
        )
        taught = [*_told(gone.deleted, deleted=True), *_told(gone.kept, deleted=False)]
        return Response({"id": conversation_id, "chats": gone.chats, "facts": taught})


def _told(facts: Iterable[Fact], *, deleted: bool) -> list[dict[str, Any]]:
    return [{"id": str(f.id), "key": f.key, "value": f.value, "deleted": deleted} for f in facts]
