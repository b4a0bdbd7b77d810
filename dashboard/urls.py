"""The dashboard's pages."""

from __future__ import annotations

from django.urls import path

from dashboard.views import audit, facts

app_name = "dashboard"
urlpatterns = [
    path("", facts.home),
    path("facts", facts.listed, name="facts"),
    path("facts/<uuid:fact_id>", facts.edit, name="fact"),
    path("facts/<uuid:fact_id>/delete", facts.delete, name="fact_delete"),
    path("audit", audit.listed, name="audit"),
    path("audit/<str:audit_id>", audit.row, name="audit_row"),
]
