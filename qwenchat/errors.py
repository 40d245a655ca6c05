"""Every error a person can meet, as one tree.

QwenChatError               code, message: fit to show, says what to do next
  RequestError     (4xx)    InvalidRequest · ContextLengthExceeded · ConversationNotFound
                            MessageNotFound · ReplyRunning · ImportRunning
                            VerificationRunning · QueueFull · TooLarge · LoginRequired
                            OriginRefused · HostRefused · ApiKeyRequired · NotOnShelf
                            UnsupportedFile · UnreadableFile · AttachedFileNotFound
  EngineError      (5xx)    EngineStarting · EngineStartFailed · EngineDied · ModelSwitched
                            EngineInternal
  ModelError (4xx and 5xx)  ModelNotFound · ModelDamaged · UnsupportedModel · DownloadFailed
                            ChecksumMismatch · DiskFull
  StoreError       (5xx)    StoreBusy · StoreReadOnly · StoreFull · StoreDamaged · StoreTooNew
  SetupError       (exit 2) InvalidSetting · DataFolderUnusable · DataFolderInUse · PortInUse
                            LoginMissing

Foreign exceptions are turned into these at one seam each (vLLM in
``engine/vllm_engine.py``, ModelScope in ``models/download.py``, SQLite in
``store/failures.py``). Between processes an error travels as ``(code, message)`` and is
rebuilt by :func:`error_from_code`.
"""

from __future__ import annotations

from typing import ClassVar


class QwenChatError(Exception):
    """Anything that went wrong in words fit to show; the message says what to do next.

    Args:
        message: One paragraph: what happened, why, and the next step.
        param: The request field or setting at fault, where there is one.
    """

    code: ClassVar[str] = "internal_error"
    http_status: ClassVar[int] = 500

    def __init__(self, message: str, *, param: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.param = param

    def as_dict(self) -> dict[str, str | None]:
        """The error as the API and the page receive it."""
        return {"code": self.code, "message": self.message, "param": self.param}


class RequestError(QwenChatError):
    """What was asked cannot be done as asked; asking differently can work."""

    code = "request_error"
    http_status = 400


class InvalidRequest(RequestError):
    """A field is missing, of the wrong type, or out of range."""

    code = "invalid_request"


class ContextLengthExceeded(RequestError):
    """The prompt has more tokens than the model's context holds."""

    code = "context_length_exceeded"


class ConversationNotFound(RequestError):
    """No conversation has this id."""

    code = "conversation_not_found"
    http_status = 404


class MessageNotFound(RequestError):
    """The conversation has no message of this id, or none fit for what was asked."""

    code = "message_not_found"
    http_status = 404


class ReplyRunning(RequestError):
    """The conversation is still being answered."""

    code = "reply_running"
    http_status = 409


class ImportRunning(RequestError):
    """A file of conversations is being imported; one at a time."""

    code = "import_running"
    http_status = 409


class VerificationRunning(RequestError):
    """The files of a model are being checked; one at a time."""

    code = "verification_running"
    http_status = 409


class QueueFull(RequestError):
    """More requests are waiting than the engine accepts."""

    code = "queue_full"
    http_status = 429


class TooLarge(RequestError):
    """The request body is larger than the server reads."""

    code = "too_large"
    http_status = 413


class UnsupportedFile(RequestError):
    """A file is of a kind that is not read."""

    code = "unsupported_file"
    http_status = 415


class UnreadableFile(RequestError):
    """A file is of a kind that is read, but this one cannot be: damaged, locked, or empty."""

    code = "unreadable_file"
    http_status = 422


class AttachedFileNotFound(RequestError):
    """Neither an uploaded file nor one of the conversation's has this id."""

    code = "file_not_found"
    http_status = 404


class NotOnShelf(RequestError):
    """No persona, or no preset, has this id."""

    code = "not_on_shelf"
    http_status = 404


class LoginRequired(RequestError):
    """The server has a login and this request carries none."""

    code = "login_required"
    http_status = 401


class OriginRefused(RequestError):
    """The request comes from a page of another site."""

    code = "origin_refused"
    http_status = 403


class HostRefused(RequestError):
    """The Host header names a server this is not."""

    code = "host_refused"
    http_status = 403


class ApiKeyRequired(RequestError):
    """The OpenAI-compatible API needs a key, and this request carries none or a wrong one."""

    code = "invalid_api_key"
    http_status = 401


class EngineError(QwenChatError):
    """The engine process cannot answer now."""

    code = "engine_error"
    http_status = 503


class EngineStarting(EngineError):
    """The engine is not ready yet; waiting is enough."""

    code = "engine_starting"


class EngineStartFailed(EngineError):
    """The engine process ended before the model was ready."""

    code = "engine_start_failed"


class EngineDied(EngineError):
    """The engine process ended while it was in use."""

    code = "engine_died"


class ModelSwitched(EngineError):
    """The engine was ended in the middle, because another model is loaded instead."""

    code = "model_switched"


class EngineInternal(EngineError):
    """The engine refused one request for a reason of its own."""

    code = "engine_internal"
    http_status = 500


class ModelError(QwenChatError):
    """A model cannot be used as it is."""

    code = "model_error"


class ModelNotFound(ModelError):
    """Neither a folder nor a known model id."""

    code = "model_not_found"
    http_status = 404


class ModelDamaged(ModelError):
    """A snapshot lacks files, or a file's content is not what it should be."""

    code = "model_damaged"
    http_status = 422


class UnsupportedModel(ModelError):
    """The model's architecture or format does not run on this backend."""

    code = "unsupported_model"
    http_status = 422


class DownloadFailed(ModelError):
    """Fetching a model did not finish."""

    code = "download_failed"
    http_status = 502


class ChecksumMismatch(ModelError):
    """A file's SHA-256 is not the expected one."""

    code = "checksum_mismatch"
    http_status = 502


class DiskFull(ModelError):
    """The disk has no room for what is to be written."""

    code = "disk_full"
    http_status = 507


class StoreError(QwenChatError):
    """The database of conversations did not do what was asked; it is as it was before."""

    code = "store_error"


class StoreBusy(StoreError):
    """Another program holds the database; asking again later can work."""

    code = "store_busy"
    http_status = 503


class StoreReadOnly(StoreError):
    """The database can be read but not written."""

    code = "store_read_only"


class StoreFull(StoreError):
    """The disk has no room for what is to be written."""

    code = "store_full"
    http_status = 507


class StoreDamaged(StoreError):
    """Part of the database is not what was written."""

    code = "store_damaged"


class StoreTooNew(StoreError):
    """A newer version of QwenChat wrote the database; this one leaves it alone."""

    code = "store_too_new"


class SetupError(QwenChatError):
    """The app cannot start as configured; the command line exits with status 2."""

    code = "setup_error"


class InvalidSetting(SetupError):
    """A flag, environment variable or settings-file entry is unknown or has a bad value."""

    code = "invalid_setting"


class DataFolderUnusable(SetupError):
    """The data folder cannot be made, read or written."""

    code = "data_folder_unusable"


class DataFolderInUse(SetupError):
    """Another QwenChat uses the data folder."""

    code = "data_folder_in_use"


class PortInUse(SetupError):
    """Another program listens on the port."""

    code = "port_in_use"


class LoginMissing(SetupError):
    """The address is reachable from other machines and no login is set."""

    code = "login_missing"


def _tree(base: type[QwenChatError]) -> dict[str, type[QwenChatError]]:
    found = {base.code: base}
    for child in base.__subclasses__():
        found = _tree(child) | found
    return found


def error_from_code(code: str, message: str, param: str | None = None) -> QwenChatError:
    """Rebuild an error that crossed a process or network boundary.

    An unknown code becomes a plain :class:`QwenChatError`.
    """
    return _tree(QwenChatError).get(code, QwenChatError)(message, param=param)
