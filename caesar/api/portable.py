"""A person's memory as a file, and files into it."""

from __future__ import annotations

from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs, params
from caesar.api.base import MemoryView
from caesar.api.errors import UnsupportedBody
from memory import imports
from memory.models import Import
from memory.portable import exporting, uploading
from memory.portable.exporting import Form
from memory.portable.pieces import Pieces


class ExportView(MemoryView):
    @extend_schema(
        operation_id="exportMemory",
        summary="Export the memory",
        description="`jsonl` has every kind of row, with a checksum, and can be imported again; `markdown` has facts"
        " and summaries for people; `csv` has facts, with no cell that a spreadsheet takes for a formula. What was"
        " deleted is in none of them.",
        parameters=[docs.query("format", "jsonl where it is not given.", choices=[form.value for form in Form])],
        responses=docs.answers(OpenApiResponse(OpenApiTypes.BINARY, "The file.")),
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        params.only(request, "format")
        form = Form(params.one_of(request, "format", [form.value for form in Form]) or Form.JSONL)
        file = exporting.spooled(profile_id=self.caller.profile_id, form=form)
        # What serves without ASGI takes no pieces that have to be awaited.
        pieces = Pieces(file) if isinstance(request._request, ASGIRequest) else file
        response = StreamingHttpResponse(pieces, content_type=exporting.TYPES[form])
        response["Content-Disposition"] = content_disposition_header(True, exporting.file_name(form))
        return response


class SkippedRecord(serializers.Serializer[Any]):
    """A record of the file that could not be taken."""

    where = serializers.CharField()
    why = serializers.CharField()


class ReportSerializer(serializers.Serializer[Any]):
    """What an import did, or would do."""

    id = serializers.CharField(allow_null=True, help_text="Of the import; null for a dry run.")
    format = serializers.CharField()
    dry_run = serializers.BooleanField()
    records = serializers.IntegerField(help_text="How many the file has.")
    counts = serializers.JSONField(help_text='By kind what became of how many: `{"facts": {"new": 3, "known": 1}}`.')
    unused = serializers.IntegerField(help_text="How many records could not be taken.")
    skipped = SkippedRecord(many=True, help_text="The first of those.")


class ImportSerializer(serializers.Serializer[Import]):
    id = serializers.CharField()
    format = serializers.CharField()
    name = serializers.CharField()
    state = serializers.CharField(help_text="running, done or failed.")
    records = serializers.IntegerField(source="total")
    done = serializers.IntegerField(help_text="How many of the records are written.")
    unread = serializers.IntegerField(help_text="How many of its chats wait for their turn to be read.")
    counts = serializers.JSONField()
    error = serializers.CharField()
    started_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class ImportView(MemoryView):
    @extend_schema(
        operation_id="listImports",
        summary="List the imports",
        description="Those begun last come first. One that runs says how far it is.",
        parameters=[*docs.PAGE],
        responses=docs.answers(docs.page_of(ImportSerializer)),
    )
    def get(self, request: Request) -> Response:
        params.only(request, *docs.PAGE_NAMES)
        with self.scope():
            return self.listed(imports.listed(profile_id=self.caller.profile_id), ImportSerializer)

    @extend_schema(
        operation_id="importFile",
        summary="Import a file",
        description="The body is the file: an export of this product, ChatGPT's or Claude's data export, chats of Open"
        " WebUI, memories of mem0, a list of facts, an SQLite file of CAESAR or a BrainCue database; which it is, is"
        " found out. What is there already is passed over, so that a file may be sent again, also after it broke off."
        " A damaged file is refused, and nothing of it is written.",
        parameters=[
            docs.query("dry_run", "Only say what would be imported.", type=bool),
            docs.query("with_settings", "Take over the settings of an export, too.", type=bool),
            docs.query("name", "What the file is called, for the list of imports."),
        ],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses=docs.answers(ReportSerializer, 409),
    )
    def post(self, request: Request) -> Response:
        params.only(request, "dry_run", "with_settings", "name")
        if (request.content_type or "").lower().startswith("multipart/"):
            raise UnsupportedBody("Send the file itself as the body, as `curl --data-binary @FILE` does.")
        report = uploading.run(
            profile_id=self.caller.profile_id,
            body=request._request,
            name=params.text(request, "name") or "",
            dry_run=params.flag(request, "dry_run"),
            settings=params.flag(request, "with_settings"),
        )
        return Response(report.as_dict())
