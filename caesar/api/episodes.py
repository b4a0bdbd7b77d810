"""What past conversations were about."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, params
from caesar.api.base import MemoryView
from memory import episode_selectors, episodes
from memory.models import EpisodeSummary


class Texts(serializers.ListField):
    """One of the lists beside a summary; empty where there is none."""

    def __init__(self, name: str, help_text: str) -> None:
        super().__init__(
            child=serializers.CharField(), source=f"details.{name}", default=list, read_only=True, help_text=help_text
        )


class EpisodeSerializer(serializers.Serializer[EpisodeSummary]):
    """The summary of one conversation."""

    id = serializers.CharField()
    conversation_id = serializers.CharField(source="conversation.public_id")
    space = serializers.CharField(source="space.slug")
    summary = serializers.CharField(help_text="One or two sentences, in the conversation's language.")
    decisions = Texts("decisions", "What was decided.")
    open_questions = Texts("open_questions", "What was left open.")
    people = Texts("people", "Who was spoken of.")
    said_at = serializers.DateTimeField(help_text="When the last turn that it tells of was said.")
    recall_count = serializers.IntegerField(help_text="How many chats were given it.")
    last_recalled_at = serializers.DateTimeField(allow_null=True)
    source_audit_ids = serializers.ListField(child=serializers.CharField(), help_text="The chats that it tells of.")
    model = serializers.CharField()
    prompt_version = serializers.CharField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class EpisodeList(MemoryView):
    @extend_schema(
        operation_id="listEpisodes",
        summary="List what past conversations were about",
        description="One summary for each conversation, kept up to date as it goes on. Those begun last come first.",
        parameters=[
            docs.query("space", "Only conversations in this space."),
            docs.query("q", "Only summaries that contain this text."),
            *docs.PAGE,
        ],
        responses=docs.answers(docs.page_of(EpisodeSerializer), 400),
    )
    def get(self, request: Request) -> Response:
        params.only(request, "space", "q", *docs.PAGE_NAMES)
        with self.scope():
            rows = episode_selectors.listed(
                profile_id=self.caller.profile_id, space=params.text(request, "space"), q=params.text(request, "q")
            )
            return self.listed(rows, EpisodeSerializer)


class EpisodeDetail(MemoryView):
    @extend_schema(
        operation_id="deleteEpisode",
        summary="Delete the summary of a conversation",
        description="It is gone from every answer and from the log, and is not written again from what was said so"
        " far. What is said in the conversation from now on may be summarised.",
        responses=docs.answers(None, 404, status=204),
    )
    def delete(self, request: Request, episode_id: str) -> Response:
        params.only(request)
        episodes.delete(profile_id=self.caller.profile_id, episode_id=params.path_uuid(episode_id, "episode"))
        return Response(status=204)
