"""The dashboard's pages."""

from __future__ import annotations

from django.urls import path

from dashboard.views import audit, bulk, entities, fact, facts, profile, review

app_name = "dashboard"
urlpatterns = [
    path("", facts.home),
    path("profile", profile.switch, name="profile"),
    path("facts", facts.listed, name="facts"),
    path("facts/add", fact.add, name="fact_add"),
    path("facts/bulk", bulk.answer, name="fact_bulk"),
    path("facts/<uuid:fact_id>", fact.edit, name="fact"),
    path("facts/<uuid:fact_id>/delete", fact.delete, name="fact_delete"),
    path("facts/<uuid:fact_id>/undelete", fact.undelete, name="fact_undelete"),
    path("facts/<uuid:fact_id>/history", fact.history, name="fact_history"),
    path("facts/<uuid:fact_id>/revert", fact.revert, name="fact_revert"),
    path("review", review.listed, name="review"),
    path("review/<uuid:fact_id>", review.answer, name="review_one"),
    path("entities", entities.listed, name="entities"),
    path("entities/<uuid:entity_id>", entities.one, name="entity"),
    path("audit", audit.listed, name="audit"),
    path("audit/<str:audit_id>", audit.row, name="audit_row"),
    path("audit/<str:audit_id>/json", audit.raw, name="audit_raw"),
]
