"""The routes under /v1/, as the contract names them."""

from __future__ import annotations

from django.urls import path

from caesar.api.audit import AuditList
from caesar.api.context import ContextView
from caesar.api.conversations import ConversationList
from caesar.api.facts import FactDetail, FactHistory, FactList
from caesar.api.models import ModelList
from caesar.api.profile import ProfileDetail
from caesar.api.spaces import SpaceDetail, SpaceList
from caesar.api.work import WorkList, WorkRetry

urlpatterns = [
    path("facts", FactList.as_view()),
    path("facts/<str:fact_id>", FactDetail.as_view()),
    path("facts/<str:fact_id>/history", FactHistory.as_view()),
    path("profile", ProfileDetail.as_view()),
    path("spaces", SpaceList.as_view()),
    path("spaces/<str:slug>", SpaceDetail.as_view()),
    path("conversations", ConversationList.as_view()),
    path("context", ContextView.as_view()),
    path("audit", AuditList.as_view()),
    path("work", WorkList.as_view()),
    path("work/<str:item_id>/retry", WorkRetry.as_view()),
    path("models", ModelList.as_view()),
]
