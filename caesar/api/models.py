"""The models that a chat may name, as OpenAI lists them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from caesar.api import docs
from caesar.api.base import MemoryView
from memory.llm import catalogue


class ModelSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    object = serializers.CharField()
    created = serializers.IntegerField()
    owned_by = serializers.CharField()


class Models(serializers.Serializer[Any]):
    object = serializers.CharField()
    data = ModelSerializer(many=True)  # type: ignore[assignment]


class ModelList(MemoryView):
    @extend_schema(
        operation_id="listModels",
        summary="List the models",
        description="Those that chat, as the operator configured them, the default first.",
        responses=docs.answers(Models),
    )
    def get(self, request: Request) -> Response:
        return Response(catalogue.available_models())
