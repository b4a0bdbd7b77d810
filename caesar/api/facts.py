"""What is known: list, author, read, edit, delete, history."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, params
from caesar.api.base import MemoryView
from memory import facts, selectors, sentences
from memory.domain.types import Cardinality, Category, Op, Scope
from memory.errors import InvalidInput, NotFound
from memory.models import Fact, FactState, SourceKind

STATUS_OF_STATE = {
    FactState.PENDING: "pending",
    FactState.CURRENT: "approved",
    FactState.SUPERSEDED: "approved",
    FactState.RETRACTED: "approved",
    FactState.REJECTED: "rejected",
}
STATUSES = ("pending", "approved", "rejected")
NO_FACT = "There is no such fact."


class FactSerializer(serializers.Serializer[Fact]):
    """A claim about the person, with where it came from and whether it holds."""

    id = serializers.CharField()
    key = serializers.CharField(allow_null=True)
    value = serializers.CharField()
    text = serializers.SerializerMethodField(help_text="The fact as a sentence, as a model is given it.")
    category = serializers.ChoiceField(choices=[c.value for c in Category])
    status = serializers.SerializerMethodField(help_text="What was decided; `valid_to` says if it still holds.")
    scope = serializers.SerializerMethodField()
    space = serializers.SerializerMethodField(help_text="The space that it belongs to; null is everywhere.")
    confidence = serializers.FloatField()
    importance = serializers.FloatField()
    cardinality = serializers.ChoiceField(choices=[c.value for c in Cardinality])
    source_kind = serializers.ChoiceField(choices=[k.value for k in SourceKind])
    source_audit_id = serializers.SerializerMethodField(help_text="The row of the audit log it was learned from.")
    quote = serializers.CharField(help_text="The person's own words.")
    op = serializers.SerializerMethodField(help_text="`retract`: a proposal that such a fact holds no longer.")
    reasons = serializers.ListField(child=serializers.CharField(), help_text="Why it waits for review.")
    pinned = serializers.BooleanField(help_text="Written or edited by a person: never overwritten silently.")
    first_seen_at = serializers.DateTimeField(help_text="When the person said it first.")
    created_at = serializers.DateTimeField(help_text="When it was stored, which may be much later.")
    last_confirmed_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_to = serializers.DateTimeField(allow_null=True)
    superseded_by = serializers.SerializerMethodField()
    edit_count = serializers.IntegerField()
    sensitive = serializers.BooleanField()
    entity = serializers.SerializerMethodField(help_text="The id of who or what it is about; null where nobody.")
    score = serializers.SerializerMethodField(help_text="Freshness x confidence x edit weight.")
    version = serializers.IntegerField(help_text="Send it back with an edit to notice other people's edits.")

    def get_text(self, fact: Fact) -> str:
        return sentences.sentence(fact, self.context["profile"])

    @docs.one_of(*STATUSES)
    def get_status(self, fact: Fact) -> str:
        return STATUS_OF_STATE[FactState(fact.state)]

    @docs.one_of(*(s.value for s in Scope))
    def get_scope(self, fact: Fact) -> str:
        return Scope.PROFILE.value if fact.space_id is None else Scope.SPACE.value

    def get_space(self, fact: Fact) -> str | None:
        return None if fact.space is None else fact.space.slug

    def get_source_audit_id(self, fact: Fact) -> str | None:
        return None if fact.source_audit_id is None else str(fact.source_audit_id)

    def get_entity(self, fact: Fact) -> str | None:
        return None if fact.entity_id is None else str(fact.entity_id)

    def get_score(self, fact: Fact) -> float:
        return round(fact.score, 6)  # type: ignore[attr-defined]

    @docs.one_of("set", "retract")
    def get_op(self, fact: Fact) -> str:
        return Op.RETRACT.value if fact.op == Op.RETRACT else Op.SET.value

    def get_superseded_by(self, fact: Fact) -> str | None:
        return None if fact.superseded_by_id is None else str(fact.superseded_by_id)


class NewFact(serializers.Serializer[Any]):
    """A fact that you write yourself."""

    key = serializers.CharField(required=False, allow_null=True, help_text="Such as dog.name; none: narrative.")
    value = serializers.CharField(max_length=1000)
    category = serializers.ChoiceField(choices=[c.value for c in Category], required=False)
    space = serializers.CharField(required=False, allow_null=True)
    importance = serializers.FloatField(required=False, min_value=0, max_value=1)
    expires_at = serializers.DateTimeField(required=False, allow_null=True)


class FactChanges(serializers.Serializer[Any]):
    """What can be corrected."""

    value = serializers.CharField(max_length=1000, required=False)
    confidence = serializers.FloatField(required=False, min_value=0, max_value=1)
    importance = serializers.FloatField(required=False, min_value=0, max_value=1)
    category = serializers.ChoiceField(choices=[c.value for c in Category], required=False)
    space = serializers.CharField(required=False, allow_null=True)
    expires_at = serializers.DateTimeField(required=False, allow_null=True)
    version = serializers.IntegerField(
        required=False, help_text="The version you edit. Somebody else's edit meanwhile: 409."
    )


def version_of(sent: dict[str, Any]) -> tuple[dict[str, Any], int | None]:
    """The fields that were sent, without the version, and the version that the caller saw."""
    rest = dict(sent)
    version = rest.pop("version", None)
    if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
        raise InvalidInput("version is a whole number.")
    return rest, version


class FactView(MemoryView):
    """What the views of facts share."""

    def found(self, raw_id: str) -> Fact:
        """Call inside the scope."""
        wanted = params.path_uuid(raw_id, "fact")
        fact = selectors.fact(profile_id=self.caller.profile_id, fact_id=wanted)
        if fact is None:
            raise NotFound(NO_FACT)
        return fact

    def shown(self, raw_id: str, status: int = 200) -> Response:
        with self.scope():
            return Response(FactSerializer(self.found(raw_id), context=self.context()).data, status=status)


class FactList(FactView):
    FILTERS = ("status", "key", "category", "space", "q", "entity", "include_superseded")

    @extend_schema(
        operation_id="listFacts",
        summary="List what is known",
        description="Newest first: what is approved and holds now. `status=pending` lists what waits for review.",
        parameters=[
            docs.query("status", "What was decided.", choices=STATUSES),
            docs.query("key", "This key, in whatever spelling."),
            docs.query("category", "Only this category.", choices=[c.value for c in Category]),
            docs.query("space", "Only what belongs to this space."),
            docs.query("q", "Only facts whose key or value contains this text."),
            docs.query("entity", "Only facts about an entity, by its id or what it is called."),
            docs.query("include_superseded", "What no longer holds too.", type=bool),
            *docs.PAGE,
        ],
        responses=docs.answers(docs.page_of(FactSerializer)),
    )
    def get(self, request: Request) -> Response:
        params.only(request, *self.FILTERS, *docs.PAGE_NAMES)
        wanted = selectors.FactFilter(
            status=params.one_of(request, "status", STATUSES),
            key=params.text(request, "key"),
            category=params.one_of(request, "category", [c.value for c in Category]),
            space=params.text(request, "space"),
            q=params.text(request, "q"),
            entity=params.text(request, "entity"),
            include_superseded=params.flag(request, "include_superseded"),
        )
        with self.scope():
            rows = selectors.facts_listed(profile_id=self.caller.profile_id, wanted=wanted)
            return self.listed(rows, FactSerializer)

    @extend_schema(
        operation_id="authorFact",
        summary="Write a fact yourself",
        description="It holds at once and is pinned. A single value that it replaces becomes history.",
        request=NewFact,
        responses=docs.answers(FactSerializer, 404, 409, status=201),
    )
    def post(self, request: Request) -> Response:
        fact = facts.author(profile_id=self.caller.profile_id, fields=self.sent)
        return self.shown(str(fact.id), status=201)


class FactDetail(FactView):
    @extend_schema(
        operation_id="readFact",
        summary="Read one fact",
        description="Whatever its state, but for a deleted one.",
        responses=docs.answers(FactSerializer, 404),
    )
    def get(self, request: Request, fact_id: str) -> Response:
        params.only(request)
        return self.shown(fact_id)

    @extend_schema(
        operation_id="editFact",
        summary="Correct a fact",
        description="What it said before stays as history, and what is learned later only proposes a change.",
        request=FactChanges,
        responses=docs.answers(FactSerializer, 404, 409),
    )
    def patch(self, request: Request, fact_id: str) -> Response:
        changes, version = version_of(self.sent)
        facts.edit(
            profile_id=self.caller.profile_id,
            fact_id=params.path_uuid(fact_id, "fact"),
            changes=changes,
            version=version,
        )
        return self.shown(fact_id)

    @extend_schema(
        operation_id="deleteFact",
        summary="Delete a fact",
        description="It is gone from every answer and list at once, and does not come back silently.",
        responses=docs.answers(None, 404, status=204),
    )
    def delete(self, request: Request, fact_id: str) -> Response:
        facts.delete(profile_id=self.caller.profile_id, fact_id=params.path_uuid(fact_id, "fact"))
        return Response(status=204)


class FactHistory(FactView):
    @extend_schema(
        operation_id="factHistory",
        summary="What a fact said before",
        description="All values that its key had, newest first, on one page.",
        responses=docs.answers(docs.page_of(FactSerializer), 404),
    )
    def get(self, request: Request, fact_id: str) -> Response:
        params.only(request)
        with self.scope():
            rows = selectors.history(profile_id=self.caller.profile_id, fact=self.found(fact_id))
            return Response({"next": None, "previous": None, "results": self.many(rows, FactSerializer)})
