"""Which model is to be loaded and how, and the file that remembers it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from logging import getLogger
from pathlib import Path
from typing import Any

from qwenchat.errors import InvalidRequest, QwenChatError
from qwenchat.models.reference import (
    DEMO_VALUE,
    DemoModel,
    HubModel,
    ModelFolder,
    ModelReference,
    is_model_id,
    resolve_model,
)
from qwenchat.settings import DTYPES, LONGEST_CONTEXT, SHORTEST_CONTEXT, Settings

FILE_NAME = "choice.json"

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Choice:
    """A model, and how it is loaded.

    Attributes:
        model: ``demo``, an id ``owner/name``, or the whole path of a folder.
        context_length: Tokens of prompt and answer together; None leaves it to the settings,
            and where they are silent to the memory there is.
        dtype: Number format of the weights in memory; ``auto`` leaves it to the settings, and
            where they are silent to model and processor.

    Raises:
        InvalidRequest: A value is none of those.
    """

    model: str
    context_length: int | None = None
    dtype: str = "auto"

    def __post_init__(self) -> None:
        if not isinstance(self.model, str):
            raise InvalidRequest("The model must be a text.", param="model")
        # True is a number to Python.
        if self.context_length is not None and (
            type(self.context_length) is not int
            or not SHORTEST_CONTEXT <= self.context_length <= LONGEST_CONTEXT
        ):
            raise InvalidRequest(
                f"The context length must be a whole number of tokens from {SHORTEST_CONTEXT} to "
                f"{LONGEST_CONTEXT:,}. Leave it out to have it chosen by the memory there is.",
                param="context_length",
            )
        if self.dtype not in DTYPES:
            raise InvalidRequest(
                f"The number format must be one of {', '.join(DTYPES)}.", param="dtype"
            )

    @property
    def reference(self) -> ModelReference:
        """What :attr:`model` means."""
        if self.model == DEMO_VALUE:
            return DemoModel()
        return HubModel(self.model) if is_model_id(self.model) else ModelFolder(Path(self.model))


DEMO = Choice(DEMO_VALUE)


def choose(
    model: str,
    context_length: int | None = None,
    dtype: str = "auto",
) -> Choice:
    """A choice from what a person wrote.

    Raises:
        ModelNotFound: ``model`` means nothing.
        InvalidRequest: A value is out of range.
    """
    return Choice(_whole_name(resolve_model(model)), context_length, dtype)


def _whole_name(reference: ModelReference) -> str:
    match reference:
        case DemoModel():
            return DEMO_VALUE
        case HubModel(model_id=model_id):
            return model_id
        case ModelFolder(path=path):
            return str(path.absolute())


def first_choice(settings: Settings) -> tuple[Choice, Choice | None]:
    """What to load at the start, and what instead when that cannot be loaded.

    A model that the settings name wins over the remembered one. It has nothing instead:
    whoever named it wants to know.

    Raises:
        ModelNotFound: What the settings name means nothing.
    """
    if settings.model:
        return choose(settings.model), None
    remembered = read_choice(settings.data_dir)
    if remembered is None or remembered.model == DEMO_VALUE:
        return remembered or DEMO, None
    return remembered, DEMO


def read_choice(data_dir: Path) -> Choice | None:
    """The remembered choice; None when there is none, or none that can be understood."""
    path = data_dir / FILE_NAME
    try:
        loaded: Any = json.loads(path.read_text(encoding="utf-8"))
        # Names that a later version may add are no reason to forget the model.
        return choose(
            loaded["model"], loaded.get("context_length"), loaded.get("dtype", DEMO.dtype)
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        reason = f"{type(error).__name__}: {error}"
    except QwenChatError as error:
        reason = error.message
    _log.warning("The model that was chosen last is not known: %s is ignored (%s)", path, reason)
    return None


def write_choice(data_dir: Path, choice: Choice) -> None:
    """Remember a choice. A folder that cannot be written is no reason to fail."""
    path = data_dir / FILE_NAME
    new = path.with_name(f"{FILE_NAME}.new")
    try:
        with new.open("w", encoding="utf-8") as file:
            json.dump(asdict(choice), file, indent=1, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except (OSError, UnicodeError) as error:
        _log.warning("The choice of %s cannot be remembered: %s", choice.model, error)
