"""Who and what the facts are about, with their facts."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, pagination, params
from caesar.api.base import MemoryView
from caesar.api.facts import FactSerializer
from memory import entity_selectors, selectors
from memory.domain.roles import EntityKind
from memory.entity_selectors import Known
from memory.errors import NotFound

KINDS = [kind.value for kind in EntityKind]
MOST_FACTS = 200


class EntitySerializer(serializers.Serializer[Known]):
    """A person, pet, organisation, project, place or thing that facts are about."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=KINDS)
    name = serializers.CharField(source="title.name")
    aliases = serializers.ListField(
        source="title.aliases",
        child=serializers.CharField(),
        help_text="Other spellings, former names, and what it is to the person, such as dog.",
    )
    fact_count = serializers.IntegerField(source="facts", help_text="Facts that hold now and are about it or name it.")
    first_mentioned_at = serializers.DateTimeField()
    last_mentioned_at = serializers.DateTimeField()


class EntityWithFacts(EntitySerializer):
    """An entity with what is known about it."""

    facts = FactSerializer(many=True, help_text=f"What holds now, what waits, what was; {MOST_FACTS} at most.")


class EntityList(MemoryView):
    @extend_schema(
        operation_id="listEntities",
        summary="List who and what the facts are about",
        description="Newest first.",
        parameters=[
            docs.query("kind", "Only this kind.", choices=KINDS),
            docs.query("q", "Only those called like this, or that are this to the person, such as dog."),
            *docs.PAGE,
        ],
        responses=docs.answers(docs.page_of(EntitySerializer)),
    )
    def get(self, request: Request) -> Response:
        params.only(request, "kind", "q", *docs.PAGE_NAMES)
        kind, q = params.one_of(request, "kind", KINDS), params.text(request, "q")
        profile_id = self.caller.profile_id
        with self.scope():
            found = pagination.page(entity_selectors.entities(profile_id=profile_id, kind=kind, q=q), request)
            known = entity_selectors.described(profile_id=profile_id, rows=found.rows)
        return Response(pagination.enveloped(request, found, self.many(known, EntitySerializer)))


class EntityDetail(MemoryView):
    @extend_schema(
        operation_id="readEntity",
        summary="What is known about one person or thing",
        description="All of its facts, page by page: `GET /v1/facts?entity=ID`.",
        responses=docs.answers(EntityWithFacts, 404),
    )
    def get(self, request: Request, entity_id: str) -> Response:
        params.only(request)
        wanted = params.path_uuid(entity_id, "entity")
        profile_id = self.caller.profile_id
        with self.scope():
            known = entity_selectors.entity(profile_id=profile_id, entity_id=wanted)
            if known is None:
                raise NotFound("There is no such entity.")
            facts = selectors.facts_of_entity(profile_id=profile_id, entity_id=wanted)[:MOST_FACTS]
            shown: dict[str, Any] = dict(EntitySerializer(known).data)
            return Response({**shown, "facts": self.many(facts, FactSerializer)})
