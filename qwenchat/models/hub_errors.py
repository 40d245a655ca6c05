"""What ModelScope's client raises, as errors of ours.

Its errors are told apart by their classes' names, so that this module can be read and
tested without importing the client. The disk's errors are handed back as they are, for
``folders.disk_errors``.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from qwenchat.errors import ChecksumMismatch, DownloadFailed, ModelNotFound

_OF_THE_DISK = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.EFBIG,
    errno.ENOTDIR,
}
_KEPT = "What has arrived is kept: start again to go on."


def is_passing(error: Exception) -> bool:
    """Whether it is the line's fault, so that going on can succeed when some data came through."""
    cause = _first_cause(error)
    names = _names(cause)
    if _disk_error(cause) is not None or names & {"_DownloadTooSlowError", "FileIntegrityError"}:
        return False
    return bool(names & {"NetworkError", "ServerError", "ConnectionError", "ChunkedEncodingError"})


def in_our_words(error: Exception, model_id: str, host: str, *, looking: bool = False) -> Exception:
    """The client's error as one of ours; the disk's own stay.

    Args:
        looking: The model was only asked about, nothing of it was to be fetched.
    """
    cause = _first_cause(error)
    disk = _disk_error(cause)
    if disk is not None:
        return disk
    names = _names(cause)
    file = _first_file(error)
    status = getattr(cause, "status_code", None)
    if "NotExistError" in names or status == 404:
        if file is None:
            return ModelNotFound(
                f"{host} has no model {model_id} (404), or it is not public. Check the spelling "
                "(capital letters count), or look for it on the hub's page.",
                param="model",
            )
        return DownloadFailed(
            f"{host} lists {file} of {model_id} but does not have it (404). {_KEPT} If it stays "
            "so, tell the model's owner."
        )
    if names & {"AuthenticationError", "PermissionDeniedError"} or status in (401, 403):
        return DownloadFailed(
            f"{host} does not let you have {file or model_id} without logging in "
            f"({status or 403}). Accept the model's terms on the hub's page where it has some, "
            "put your access token into the environment variable MODELSCOPE_API_TOKEN, and "
            "start again."
        )
    if "FileIntegrityError" in names:
        return ChecksumMismatch(
            f"{file or 'A file'} of {model_id} kept arriving other than {host} lists it (size or "
            "SHA-256). What is good is kept: start again later, and if it stays so, tell the "
            "model's owner."
        )
    if looking:
        return DownloadFailed(
            f"{model_id} could not be looked up: {_reason(cause, host)} Then try again, or choose "
            "a model that is on this machine."
        )
    what = f"{file} of {model_id}" if file else model_id
    return DownloadFailed(
        f"{what} could not be downloaded: {_reason(cause, host)} {_KEPT} Without internet, use "
        "--model demo or a model's folder."
    )


def _reason(cause: BaseException, host: str) -> str:
    chain = list(_chain(cause))
    names = set().union(*(_names(error) for error in chain))
    status = next((s for e in chain if (s := getattr(e, "status_code", None))), None)
    text = " ".join(str(error) for error in chain)
    if status == 429:
        return f"{host} asks to be left alone for a while (429, too many requests)."
    if "ServerError" in names or (status is not None and status >= 500):
        return f"{host} has a problem of its own ({status or 500}), which usually passes."
    if status is not None:
        return f"{host} answered with status {status}."
    if "_DownloadTooSlowError" in names:
        return f"{host} sends less than a kilobyte a second."
    if "ProxyError" in names or "ProxyError" in text:
        return f"the proxy {_proxy()} does not connect to {host}. Correct or unset HTTPS_PROXY."
    if "SSLError" in names or "SSLError" in text or "CERTIFICATE" in text:
        return (
            f"the certificate of {host} cannot be verified. Where a company's proxy reads along, "
            "point REQUESTS_CA_BUNDLE to its certificate."
        )
    if names & {"JSONDecodeError", "InvalidJSONError"}:
        return (
            f"{host} answered with something that is no list of files, as a hotel's login page or "
            "a proxy does. Check the internet connection with a browser."
        )
    if names & {"RequestTimeoutError", "Timeout", "TimeoutError"} or "timed out" in text.lower():
        return f"{host} did not answer in time. Check the internet connection."
    if "NameResolutionError" in text or "resolve" in text:
        return f"there is no server {host} to be found. Check the internet connection."
    if names & {"NetworkError", "ConnectionError", "_IncompleteBodyError"}:
        return (
            f"the connection to {host} failed. Check the internet connection (behind a proxy, set "
            "HTTPS_PROXY)."
        )
    return f"{host} and its client do not understand each other ({_first_line(cause)})."


def _proxy() -> str:
    names = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
    address = next((os.environ[name] for name in names if os.environ.get(name)), "")
    return address.rpartition("@")[2]


def _first_cause(error: Exception) -> Exception:
    """Of several files that failed, the first one's error."""
    failed = getattr(error, "failed_files", None) or {}
    disk = next((cause for cause in failed.values() if _disk_error(cause) is not None), None)
    return disk or next(iter(failed.values()), error)


def _first_file(error: Exception) -> str | None:
    failed = getattr(error, "failed_files", None) or {}
    return next(iter(failed), None)


def _disk_error(error: BaseException) -> OSError | None:
    for cause in _chain(error):
        if isinstance(cause, OSError) and cause.errno in _OF_THE_DISK:
            return cause
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _names(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else type(error).__name__
    return text if len(text) <= 200 else text[:199] + "…"
