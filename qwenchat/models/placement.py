"""Where a downloaded model lies, and whether it is there."""

from __future__ import annotations

from pathlib import Path

from qwenchat.errors import ModelNotFound
from qwenchat.models.manifest import read_manifest, sizes_match
from qwenchat.models.reference import EXAMPLE_ID, is_model_id


def model_folder(models_dir: Path, model_id: str) -> Path:
    """``models_dir/owner--name``: one level, so that the list of models is one of folders.

    Raises:
        ModelNotFound: ``model_id`` is not of the shape ``owner/name``.
    """
    if not is_model_id(model_id):
        raise ModelNotFound(
            f"{_shown(model_id)} is no model id, which has an owner and a name, such as "
            f"{EXAMPLE_ID}.",
            param="model",
        )
    return models_dir / model_id.replace("/", "--")


def downloaded_model(models_dir: Path, model_id: str) -> Path | None:
    """The model's folder when its download is complete and no file has changed in size.

    Raises:
        ModelNotFound: ``model_id`` is not of the shape ``owner/name``.
    """
    folder = model_folder(models_dir, model_id)
    manifest = read_manifest(folder)
    if manifest is None or manifest.source != model_id or not sizes_match(folder, manifest):
        return None
    return folder


def model_id_of(folder_name: str) -> str | None:
    """The model id for which :func:`model_folder` has this name; None when there is none.

    An owner with ``--`` in the name is read wrongly; the manifest and the state of a
    download hold the id itself.
    """
    model_id = folder_name.replace("--", "/", 1)
    return model_id if is_model_id(model_id) else None


def _shown(value: str) -> str:
    return repr(value if len(value) <= 100 else value[:99] + "…")
