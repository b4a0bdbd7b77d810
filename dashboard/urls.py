"""The dashboard's pages."""

from __future__ import annotations

from django.urls import path

from dashboard.views import (
    audit,
    bulk,
    context,
    entities,
    episodes,
    export,
    fact,
    facts,
    imports,
    people,
    profile,
    review,
    settings,
    workers,
)

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
    path("episodes", episodes.listed, name="episodes"),
    path("episodes/<uuid:episode_id>", episodes.one, name="episode"),
    path("episodes/<uuid:episode_id>/delete", episodes.delete, name="episode_delete"),
    path("chat/given/<str:audit_id>", audit.given, name="chat_given"),
    path("context", context.asked, name="context"),
    path("people", people.listed, name="people"),
    path("people/<uuid:profile_id>", people.settings, name="person"),
    path("people/<uuid:profile_id>/spaces", people.add_space, name="space_add"),
    path("people/<uuid:profile_id>/spaces/<str:slug>/remove", people.remove_space, name="space_remove"),
    path("workers", workers.listed, name="workers"),
    path("workers/retry", workers.retry_all, name="work_retry_all"),
    path("workers/retry/everybody", workers.retry_everybodys, name="work_retry_everybodys"),
    path("workers/<int:item_id>/retry", workers.retry, name="work_retry"),
    path("settings", settings.home, name="settings"),
    path("settings/keys", settings.make_key, name="key_make"),
    path("settings/keys/<uuid:key_id>/revoke", settings.revoke_key, name="key_revoke"),
    path("settings/models/<str:task>", settings.try_model, name="model_try"),
    path("settings/export", export.download, name="export"),
    path("settings/import", imports.home, name="import"),
    path("settings/import/<uuid:token>", imports.go, name="import_go"),
    path("settings/erase", settings.erase_profile, name="erase"),
    path("audit", audit.listed, name="audit"),
    path("audit/<str:audit_id>", audit.row, name="audit_row"),
    path("audit/<str:audit_id>/json", audit.raw, name="audit_raw"),
]
