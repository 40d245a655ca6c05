"""What is said of models, as the JSON values of the page's protocol (docs/page-protocol.md)."""

from __future__ import annotations

from dataclasses import asdict

from qwenchat.api.values import Value, error_value
from qwenchat.hosting.checking import Checked
from qwenchat.hosting.choice import Choice
from qwenchat.hosting.offers import Here, Offers, Row, Variant
from qwenchat.hosting.verifying import Verification
from qwenchat.models.download_state import Download
from qwenchat.models.fit import Fit
from qwenchat.models.speed import Speed


def offers_value(offers: Offers, *, offline: bool, can_reveal: bool) -> Value:
    """The answer of ``GET /api/models``."""
    machine = {
        "memory_bytes": offers.machine.memory_bytes,
        "disk_bytes": offers.machine.disk_bytes,
        "offline": offline,
        "can_reveal": can_reveal,
    }
    return {
        "machine": machine,
        "best": offers.best,
        "rows": [row_value(row) for row in offers.rows],
        "installed": [installed_value(here) for here in offers.installed],
    }


def row_value(row: Row) -> Value:
    """A model of the catalogue."""
    model = row.model
    return {
        "id": model.id,
        "name": model.name,
        "generation": model.generation,
        "released": model.released,
        "parameters": model.parameters,
        "licence": model.licence,
        "language_count": model.language_count,
        "languages": model.languages,
        "context": model.context,
        "context_yarn": model.context_yarn,
        "thinking": model.thinking_style,
        "variants": [variant_value(variant) for variant in row.variants],
        "cannot": [
            {"id": entry.id, "reason": entry.reason, "nearest": entry.nearest}
            for entry in model.cannot
        ],
        "sources": model.sources,
        "verified": model.verified,
        "verified_how": model.verified_how,
    }


def variant_value(offered: Variant) -> Value:
    """One set of its weights."""
    return {
        "id": offered.variant.id,
        "method": offered.variant.method,
        "download_bytes": offered.download_bytes,
        "reason": offered.reason,
        "fit": fit_value(offered.fit),
        "speed": speed_value(offered.speed),
        "installed": offered.installed,
    }


def installed_value(here: Here) -> Value:
    """A model on this machine."""
    model, numbers = here.model, here.numbers
    return {
        "id": model.id,
        "name": model.name,
        "path": str(model.path),
        "where": model.where,
        "size_bytes": model.size_bytes,
        "last_used": model.last_used,
        "problem": model.problem,
        "deletable": model.deletable,
        "in_use": here.in_use,
        "context": numbers.context,
        "fit": fit_value(numbers.fit),
        "speed": speed_value(numbers.speed),
    }


def check_value(checked: Checked) -> Value:
    """A model that was judged."""
    return {
        "id": checked.id,
        "supported": checked.supported,
        "reason": checked.reason,
        "nearest": checked.nearest,
        "download_bytes": checked.download_bytes,
        "fit": fit_value(checked.fit),
        "speed": speed_value(checked.speed),
        "disk_problem": checked.disk_problem,
        "installed": checked.installed,
        "own_code": checked.own_code,
    }


def fit_value(fit: Fit | None) -> Value | None:
    """Whether a model fits into memory."""
    return asdict(fit) if fit else None


def speed_value(speed: Speed | None) -> Value | None:
    """How fast a model answers."""
    return asdict(speed) if speed else None


def choice_value(choice: Choice) -> Value:
    """What is loaded or loading."""
    return asdict(choice)


def download_value(download: Download) -> Value:
    """A download as it is now."""
    error = download.error
    return {
        "id": download.model_id,
        "state": download.state,
        "stage": download.stage,
        "done_bytes": download.done_bytes,
        "total_bytes": download.total_bytes,
        "checked_bytes": download.checked_bytes,
        "to_check_bytes": download.to_check_bytes,
        "bytes_per_second": download.bytes_per_second,
        "seconds_left": download.seconds_left,
        "files": [asdict(file) for file in download.files],
        "error": error_value((error.code, error.message)) if error else None,
        "note": download.note,
    }


def verification_value(verification: Verification | None) -> Value | None:
    """How far a check of files is."""
    if verification is None:
        return None
    return asdict(verification) | {"error": error_value(verification.error)}
