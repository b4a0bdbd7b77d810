"""The routes under /v1/, as the contract names them."""

from __future__ import annotations

from django.urls import path

from caesar.api.audit import AuditList
from caesar.api.context import ContextView
from caesar.api.conversations import ConversationDetail, ConversationList
from caesar.api.documents import DocumentDetail, DocumentList
from caesar.api.entities import EntityDetail, EntityList
from caesar.api.episodes import EpisodeDetail, EpisodeList
from caesar.api.facts import FactDetail, FactHistory, FactList
from caesar.api.keys import KeyAliasDetail, KeyList, MergeAccept, MergeDismiss, MergeList
from caesar.api.models import ModelList
from caesar.api.portable import ExportView, ImportView
from caesar.api.profile import ProfileDetail
from caesar.api.recall import RecallView
from caesar.api.review import FactApprove, FactBulk, FactConflicts, FactReject, FactRevert, FactUndelete
from caesar.api.spaces import SpaceDetail, SpaceList
from caesar.api.work import WorkList, WorkRetry

urlpatterns = [
    path("facts", FactList.as_view()),
    path("facts/conflicts", FactConflicts.as_view()),
    path("facts/bulk", FactBulk.as_view()),
    path("facts/<str:fact_id>", FactDetail.as_view()),
    path("facts/<str:fact_id>/history", FactHistory.as_view()),
    path("facts/<str:fact_id>/approve", FactApprove.as_view()),
    path("facts/<str:fact_id>/reject", FactReject.as_view()),
    path("facts/<str:fact_id>/revert", FactRevert.as_view()),
    path("facts/<str:fact_id>/undelete", FactUndelete.as_view()),
    path("entities", EntityList.as_view()),
    path("entities/<str:entity_id>", EntityDetail.as_view()),
    path("keys", KeyList.as_view()),
    path("keys/merges", MergeList.as_view()),
    path("keys/merges/accept", MergeAccept.as_view()),
    path("keys/merges/dismiss", MergeDismiss.as_view()),
    path("keys/<str:alias>", KeyAliasDetail.as_view()),
    path("profile", ProfileDetail.as_view()),
    path("spaces", SpaceList.as_view()),
    path("spaces/<str:slug>", SpaceDetail.as_view()),
    path("conversations", ConversationList.as_view()),
    path("conversations/<str:conversation_id>", ConversationDetail.as_view()),
    path("episodes", EpisodeList.as_view()),
    path("episodes/<str:episode_id>", EpisodeDetail.as_view()),
    path("documents", DocumentList.as_view()),
    path("documents/<str:document_id>", DocumentDetail.as_view()),
    path("context", ContextView.as_view()),
    path("recall", RecallView.as_view()),
    path("audit", AuditList.as_view()),
    path("work", WorkList.as_view()),
    path("work/<str:item_id>/retry", WorkRetry.as_view()),
    path("models", ModelList.as_view()),
    path("export", ExportView.as_view()),
    path("import", ImportView.as_view()),
]
