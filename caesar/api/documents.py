"""Documents that a person gives to be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import BadRequest, SuspiciousOperation
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, pagination, params
from caesar.api.base import MemoryView
from caesar.api.facts import STATUS_OF_STATE, STATUSES
from memory.config import conf
from memory.documents import adding, removing, selectors
from memory.documents.formats import Format
from memory.documents.selectors import Progress, Standing
from memory.errors import InvalidInput, NotFound
from memory.models import Document, FactState

FORMATS = [form.value for form in Format]
STATES = [state.value for state in Standing]


class ProgressSerializer(serializers.Serializer[Progress]):
    """How far it is: each of its parts waits, is being read, was read, could not be read, or is not to be read."""

    state = serializers.ChoiceField(choices=STATES)
    parts = serializers.IntegerField()
    read = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="Parts that wait.")
    running = serializers.IntegerField(help_text="Parts that are being read right now.")
    failed = serializers.IntegerField(help_text="Parts that were given up; `GET /v1/work?state=dead` says why.")
    stopped = serializers.IntegerField(help_text="Parts that are not read, since memory was switched off.")


class DocumentSerializer(serializers.Serializer[Document]):
    id = serializers.CharField()
    name = serializers.CharField()
    format = serializers.ChoiceField(choices=FORMATS)
    space = serializers.CharField(source="conversation.space.slug")
    size = serializers.IntegerField(help_text="Bytes of the file, which is not kept.")
    pages = serializers.IntegerField(allow_null=True, help_text="null where the format has no pages.")
    characters = serializers.IntegerField(help_text="Characters of its text.")
    added_at = serializers.DateTimeField()
    progress = serializers.SerializerMethodField()

    @extend_schema_field(ProgressSerializer)
    def get_progress(self, document: Document) -> dict[str, Any]:
        found: Mapping[Any, Progress] = self.context["progress"]
        return dict(ProgressSerializer(found[document.id]).data)


class DocumentFact(serializers.Serializer[Any]):
    """A fact that the document taught, or proposes."""

    id = serializers.CharField()
    key = serializers.CharField(allow_null=True)
    value = serializers.CharField()
    status = serializers.ChoiceField(choices=STATUSES)
    quote = serializers.CharField(help_text="The document's words.")
    page = serializers.IntegerField(allow_null=True)


class WholeDocumentSerializer(DocumentSerializer):
    """A document with its facts."""

    facts = DocumentFact(many=True)


class DocumentList(MemoryView):
    @extend_schema(
        operation_id="listDocuments",
        summary="List the documents",
        description="Those given last come first, each with its progress.",
        parameters=[*docs.PAGE],
        responses=docs.answers(docs.page_of(DocumentSerializer)),
    )
    def get(self, request: Request) -> Response:
        params.only(request, *docs.PAGE_NAMES)
        with self.scope():
            found = pagination.page(selectors.listed(profile_id=self.caller.profile_id), request)
            progress = selectors.progress(found.rows)
            rows = [_told(document, progress) for document in found.rows]
        return Response(pagination.enveloped(request, found, rows))

    @extend_schema(
        operation_id="addDocument",
        summary="Give a document to be read",
        description="A text, Markdown, PDF or Word file, as a form's `file` or as the body with its `name`. It is"
        " converted at once, within limits, and what cannot be taken is refused and leaves nothing behind. Then it is"
        " read in the background: what it says of the person is proposed with page and quote and waits for review; its"
        " text is found by `POST /v1/recall`. The same file given again is the document that is there (200).",
        parameters=[
            docs.query("name", "The file's name with its ending, where the body is the file."),
            docs.query("space", "The space that it belongs to; general where it is not given."),
        ],
        request={
            "multipart/form-data": {
                "type": "object",
                "properties": {"file": {"type": "string", "format": "binary"}},
                "required": ["file"],
            },
            "application/octet-stream": OpenApiTypes.BINARY,
        },
        responses=docs.answers(DocumentSerializer, 404, 409, 413, 415, 422, 503) | {201: DocumentSerializer},
    )
    def post(self, request: Request) -> Response:
        params.only(request, "name", "space")
        name, data = _file(request)
        added = adding.add(profile_id=self.caller.profile_id, name=name, data=data, space=params.text(request, "space"))
        with self.scope():
            shown = _shown(added.document, self.caller.profile_id)
        return Response(shown, status=201 if added.new else 200)


def _file(request: Request) -> tuple[str, bytes]:
    """Its name and what is in it; one byte more than may be, where it is too large."""
    most = conf().memory.documents.max_bytes + 1
    sent = request._request
    if not (request.content_type or "").lower().startswith("multipart/"):
        return params.text(request, "name") or "", sent.read(most)
    try:
        files = sent.FILES.getlist("file")
    except (BadRequest, SuspiciousOperation):
        raise InvalidInput("The form cannot be read.") from None
    if len(files) != 1:
        raise InvalidInput("Send one file, in the form's field `file`.")
    return params.text(request, "name") or files[0].name or "", files[0].read(most)


def _shown(document: Document, profile_id: Any) -> dict[str, Any]:
    """Call inside the scope."""
    there = selectors.one(profile_id=profile_id, document_id=document.id)
    if there is None:
        raise NotFound("The document was removed at the same moment.")
    return _told(there, selectors.progress([there]))


def _told(document: Document, progress: Mapping[Any, Progress]) -> dict[str, Any]:
    return dict(DocumentSerializer(document, context={"progress": progress}).data)


class DocumentDetail(MemoryView):
    @extend_schema(
        operation_id="getDocument",
        summary="Read a document's progress and facts",
        responses=docs.answers(WholeDocumentSerializer, 404),
    )
    def get(self, request: Request, document_id: str) -> Response:
        params.only(request)
        wanted = params.path_uuid(document_id, "document")
        with self.scope():
            document = selectors.one(profile_id=self.caller.profile_id, document_id=wanted)
            if document is None:
                raise NotFound("There is no such document.")
            shown = _told(document, selectors.progress([document]))
            shown["facts"] = [_fact(one) for one in selectors.taught(document)]
        return Response(shown)

    @extend_schema(
        operation_id="deleteDocument",
        summary="Delete a document",
        description="Its text and all that came from it go: what can be found, what waits to be read, and the facts"
        " that it alone taught, approved or not. What you wrote or corrected yourself, or said in a chat, stays.",
        responses=docs.answers(None, 404, status=204),
    )
    def delete(self, request: Request, document_id: str) -> Response:
        params.only(request)
        wanted = params.path_uuid(document_id, "document")
        removing.remove(profile_id=self.caller.profile_id, document_id=wanted)
        return Response(status=204)


def _fact(one: selectors.Taught) -> dict[str, Any]:
    fact = one.fact
    return {
        "id": str(fact.id),
        "key": fact.key,
        "value": fact.value,
        "status": STATUS_OF_STATE[FactState(fact.state)],
        "quote": fact.quote,
        "page": one.page,
    }
