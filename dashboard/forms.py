"""What a person can type in; what it means is for memory's verbs to say."""

from __future__ import annotations

from typing import Any

from django import forms


class FactForm(forms.Form):
    """A correction. `version` is the version that the person saw."""

    value = forms.CharField(max_length=1000, widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}))
    confidence = forms.FloatField(
        min_value=0, max_value=1, widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"})
    )
    version = forms.IntegerField(widget=forms.HiddenInput)

    def edit(self) -> dict[str, Any]:
        """What the verb takes."""
        typed = self.cleaned_data
        return {
            "changes": {"value": typed["value"], "confidence": typed["confidence"]},
            "version": typed["version"],
        }
