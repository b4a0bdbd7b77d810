"""Typed errors. Each answers two questions: may I retry, and may the person see it."""

from __future__ import annotations


class CaesarError(Exception):
    """Base of all errors that the product raises on purpose. `str(error)` is a sentence a person may read."""

    code = "error"
    status = 500
    retryable = False


class InvalidInput(CaesarError):
    """The request says something that cannot be taken."""

    code = "invalid_input"
    status = 400


class NotFound(CaesarError):
    """There is no such thing for this caller."""

    code = "not_found"
    status = 404


class Conflict(CaesarError):
    """Somebody else changed it first, or it is no longer in the state that this needs."""

    code = "conflict"
    status = 409


class BeingErased(CaesarError):
    """The person's memory is being erased, or is gone: nothing of this request is kept."""

    code = "being_erased"
    status = 409

    def __init__(self) -> None:
        super().__init__("This memory is being erased, and nothing of this request was kept.")


class StaleClaim(CaesarError):
    """The lease on this work went to another worker; nothing of this attempt may be written."""

    code = "stale_claim"
    status = 409


class ModelError(CaesarError):
    """A language model did not give a usable answer.

    retryable: whether the same call may succeed later without a change of settings.
    retry_after: seconds that the provider asked for, if it did.
    raw: what came back, for a person to look at (never in logs).
    """

    code = "model_error"
    status = 502
    retryable = True

    def __init__(
        self,
        message: str,
        *,
        provider: str = "",
        model: str = "",
        retry_after: float | None = None,
        raw: str = "",
    ) -> None:
        super().__init__(message)
        self.provider = provider
        self.model = model
        self.retry_after = retry_after
        self.raw = raw


class ModelDown(ModelError):
    """The provider cannot be reached, hung up, or failed inside (5xx)."""

    code = "model_down"


class ModelTimeout(ModelError):
    """The provider did not answer in time."""

    code = "model_timeout"
    status = 504


class ModelRateLimited(ModelError):
    """The provider refuses for now (429)."""

    code = "model_rate_limited"
    status = 429


class ModelMisconfigured(ModelError):
    """The key, the model's name or the address is wrong; only the operator can mend it."""

    code = "model_misconfigured"
    retryable = False


class ModelRefusedRequest(ModelError):
    """The provider calls the request itself wrong (400, 413, 422); its own words are kept."""

    code = "model_refused_request"
    status = 400
    retryable = False


class ModelNonsense(ModelError):
    """It answered, but not in a form that can be used, or with nothing at all."""

    code = "model_nonsense"
