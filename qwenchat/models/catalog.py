"""The catalogue: models known to suit this app, with what is known of them beforehand.

The data is ``assets/models.json``; to add a model, add a row. Every field of every row is
checked when the file is read, and a row's parameter counts must follow from its shape, so
a slip in the data is an error that names the row and the field, and never a wrong number
on the page. ``verified`` says whether a row has been compared with the hub's own listing;
one that has not must be before it is offered for download.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from qwenchat.errors import ModelError
from qwenchat.models.catalog_fields import Fields, WrongField
from qwenchat.models.snapshot_config import read_json_object

CATALOGUE = Path(__file__).resolve().parents[2] / "assets" / "models.json"
FORMAT = 1

Method = Literal["none", "gptq-int4", "awq-int4", "int8-w8a8", "fp8"]
Thinking = Literal["none", "hybrid", "thinking_only"]


class CatalogueDamaged(ModelError):
    """``assets/models.json`` does not hold what it should."""

    code = "catalogue_damaged"


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers of a model's ``config.json`` that decide memory and speed.

    Attributes:
        intermediate_size: Width of the feed-forward part, of one expert where there are some.
        experts: Experts of a layer; 0 where there is one feed-forward part for all tokens.
        experts_per_token: How many of them each token uses.
    """

    architecture: str
    layers: int
    hidden_size: int
    intermediate_size: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab_size: int
    tied: bool
    experts: int
    experts_per_token: int

    @property
    def embedding_parameters(self) -> int:
        """One matrix from tokens to numbers; the output layer's is as large."""
        return self.vocab_size * self.hidden_size

    @property
    def linear_parameters(self) -> int:
        """The matrices of all layers, which is what quantisation makes smaller."""
        attention = 2 * self.hidden_size * self.head_dim * (self.heads + self.kv_heads)
        return self.layers * (attention + self._expert_parameters * max(1, self.experts))

    @property
    def linear_parameters_per_token(self) -> int:
        """Those of them that one token goes through."""
        unused = max(0, self.experts - self.experts_per_token)
        return self.linear_parameters - self.layers * self._expert_parameters * unused

    @property
    def non_embedding_parameters(self) -> int:
        """All but embedding and output layer, as the model cards count.

        Besides the matrices: two norms a layer and one at the end, the router of experts,
        and in Qwen2 a bias on q, k and v, in Qwen3 a norm on q and on k.
        """
        if self.architecture.startswith("Qwen2"):
            small = self.head_dim * (self.heads + 2 * self.kv_heads)
        else:
            small = 2 * self.head_dim
        small += 2 * self.hidden_size + self.hidden_size * self.experts
        return self.linear_parameters + self.layers * small + self.hidden_size

    @property
    def parameters(self) -> int:
        """All parameters, with a shared matrix counted once."""
        copies = 1 if self.tied else 2
        return self.non_embedding_parameters + copies * self.embedding_parameters

    @property
    def _expert_parameters(self) -> int:
        return 3 * self.hidden_size * self.intermediate_size


@dataclass(frozen=True, slots=True)
class Sampling:
    """What a model card recommends; None where it says nothing."""

    temperature: float
    top_p: float
    top_k: int
    min_p: float | None
    repetition_penalty: float | None
    presence_penalty: float | None


@dataclass(frozen=True, slots=True)
class Variant:
    """One set of weights of a model: the full ones, or quantised ones that run here.

    Attributes:
        id: ModelScope id.
        method: How the weights are stored; ``none`` for full ones.
        group_size: Numbers that share a scale; -1 for those of one output.
    """

    id: str
    method: Method
    group_size: int


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A model or variant that does not run here: why, and the id of the nearest that does."""

    id: str
    reason: str
    nearest: str


@dataclass(frozen=True, slots=True)
class Model:
    """One row.

    Attributes:
        released: Year and month.
        languages: How many, and the first to name.
        context: Tokens the model was made for.
        context_yarn: Tokens its card allows with YaRN; None where it says nothing.
        plain: Recommended sampling without thinking; None for a model that always thinks.
        thinking: Recommended sampling with it; None for a model that never does.
        output_layer_stored: Whether the file has a matrix for the output layer, also where
            it equals the embedding's.
        variants: The full weights first.
        sources: Where the row's facts were read.
        verified: Whether the row was compared with the hub's listing; ``verified_how`` says how.
    """

    id: str
    name: str
    generation: str
    released: str
    parameters: int
    non_embedding_parameters: int
    licence: str
    language_count: int
    languages: tuple[str, ...]
    context: int
    context_yarn: int | None
    thinking_style: Thinking
    plain: Sampling | None
    thinking: Sampling | None
    shape: Shape
    output_layer_stored: bool
    variants: tuple[Variant, ...]
    cannot: tuple[Unsupported, ...]
    sources: tuple[str, ...]
    verified: bool
    verified_how: str

    def weights_bytes(self, variant: Variant) -> int:
        """Bytes of a variant's tensors as they lie in its files, within some percent.

        Two bytes for each number that is not quantised. A 4-bit matrix has, for each group,
        a scale of 2 bytes and a zero point of half a byte; an 8-bit one a scale of 2 bytes
        for each output or block.
        """
        matrices = self.shape.linear_parameters
        copies = 2 if self.output_layer_stored else 1
        plain = self.shape.non_embedding_parameters - matrices
        plain += copies * self.shape.embedding_parameters
        match variant.method:
            case "none":
                stored = 2.0 * matrices
            case "gptq-int4" | "awq-int4":
                stored = matrices * (0.5 + 2.5 / variant.group_size)
            case "int8-w8a8" | "fp8":
                stored = matrices * 1.001
        return int(stored) + 2 * plain


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All rows, in the order of the file, and what is known not to run."""

    models: tuple[Model, ...]
    others: tuple[Unsupported, ...]

    def find(self, model_id: str) -> tuple[Model, Variant] | None:
        """The row and variant of an id, whatever its case; None when it is in no row."""
        wanted = model_id.strip().casefold()
        return next((pair for pair in self.pairs() if pair[1].id.casefold() == wanted), None)

    def unsupported(self, model_id: str) -> Unsupported | None:
        """What is known of an id that does not run here; None when nothing is."""
        wanted = model_id.strip().casefold()
        known = (*self.others, *(entry for model in self.models for entry in model.cannot))
        return next((entry for entry in known if entry.id.casefold() == wanted), None)

    def pairs(self) -> Iterator[tuple[Model, Variant]]:
        """Every variant that runs, with its row."""
        for model in self.models:
            for variant in model.variants:
                yield model, variant


@functools.cache
def catalogue() -> Catalogue:
    """The catalogue that comes with QwenChat, read once.

    Raises:
        CatalogueDamaged: ``assets/models.json`` is not as it should be.
    """
    return read_catalogue(CATALOGUE)


def read_catalogue(path: Path) -> Catalogue:
    """Read and check a catalogue.

    Raises:
        CatalogueDamaged: The message names the row and the field.
    """
    try:
        return _catalogue(Fields(read_json_object(path), "the file"))
    except WrongField as error:
        raise CatalogueDamaged(
            f"{path} cannot be used: {error}. Get this file again, or undo the last change to it."
        ) from error
    except ModelError as error:
        raise CatalogueDamaged(error.message) from error


def _catalogue(fields: Fields) -> Catalogue:
    if fields.number("format") != FORMAT:
        raise WrongField(f"its format is not {FORMAT}")
    models = tuple(_model(row) for row in fields.rows("models"))
    others = tuple(_other(row) for row in fields.rows("others"))
    fields.end()
    found = Catalogue(models, others)
    _check_ids(found)
    return found


def _check_ids(found: Catalogue) -> None:
    runs = [variant.id for _, variant in found.pairs()]
    cannot = [entry for model in found.models for entry in model.cannot] + list(found.others)
    seen: set[str] = set()
    for model_id in [*runs, *(entry.id for entry in cannot)]:
        if model_id.casefold() in seen:
            raise WrongField(f"the id {model_id} is there twice")
        seen.add(model_id.casefold())
    for entry in cannot:
        if entry.nearest not in runs:
            raise WrongField(f"nearest of {entry.id} is {entry.nearest}, which no row has")


def _model(row: Fields) -> Model:
    model_id = row.model_id("id")
    row.where = model_id
    languages, sampling = row.part("languages"), row.part("sampling")
    model = Model(
        id=model_id,
        name=row.text("name"),
        generation=row.text("generation"),
        released=row.month("released"),
        parameters=row.number("parameters"),
        non_embedding_parameters=row.number("non_embedding_parameters"),
        licence=row.text("licence"),
        language_count=languages.number("count"),
        languages=languages.texts("named"),
        context=row.number("context"),
        context_yarn=row.number_or_none("context_yarn"),
        thinking_style=row.choice("thinking", get_args(Thinking)),
        plain=_sampling(sampling, "plain"),
        thinking=_sampling(sampling, "thinking"),
        shape=_shape(row.part("shape")),
        output_layer_stored=row.flag("output_layer_stored"),
        variants=(
            Variant(model_id, "none", -1),
            *(_variant(variant) for variant in row.rows("variants")),
        ),
        cannot=tuple(_cannot(entry) for entry in row.rows("cannot")),
        sources=row.texts("sources"),
        verified=row.flag("verified"),
        verified_how=row.text("verified_how"),
    )
    for part in (languages, sampling, row):
        part.end()
    _check_model(row, model)
    return model


def _check_model(row: Fields, model: Model) -> None:
    follows = {
        "parameters": (model.parameters, model.shape.parameters),
        "non_embedding_parameters": (
            model.non_embedding_parameters,
            model.shape.non_embedding_parameters,
        ),
    }
    for key, (stated, expected) in follows.items():
        if stated != expected:
            row.wrong(key, f"{stated:,}, and by the shape it is {expected:,}")
    if (model.plain is None) != (model.thinking_style == "thinking_only"):
        row.wrong("sampling", "at odds with thinking: plain is for models that can leave it")
    if (model.thinking is None) != (model.thinking_style == "none"):
        row.wrong("sampling", "at odds with thinking: thinking is for models that do")
    if model.context_yarn is not None and model.context_yarn <= model.context:
        row.wrong("context_yarn", "no longer than context")


def _shape(part: Fields) -> Shape:
    shape = Shape(
        architecture=part.text("architecture"),
        layers=part.number("layers"),
        hidden_size=part.number("hidden_size"),
        intermediate_size=part.number("intermediate_size"),
        heads=part.number("heads"),
        kv_heads=part.number("kv_heads"),
        head_dim=part.number("head_dim"),
        vocab_size=part.number("vocab_size"),
        tied=part.flag("tied"),
        experts=part.number("experts", least=0),
        experts_per_token=part.number("experts_per_token", least=0),
    )
    part.end()
    return shape


def _sampling(parts: Fields, key: str) -> Sampling | None:
    part = parts.part_or_none(key)
    if part is None:
        return None
    sampling = Sampling(
        temperature=part.fraction("temperature", most=2.0),
        top_p=part.fraction("top_p"),
        top_k=part.number("top_k", least=-1),
        min_p=part.fraction_or_none("min_p"),
        repetition_penalty=part.fraction_or_none("repetition_penalty", most=2.0),
        presence_penalty=part.fraction_or_none("presence_penalty", most=2.0),
    )
    part.end()
    return sampling


def _variant(part: Fields) -> Variant:
    variant = Variant(
        id=part.model_id("id"),
        method=part.choice("method", get_args(Method)),
        group_size=part.number("group_size", least=-1),
    )
    if variant.group_size == 0 or (variant.method.endswith("int4") and variant.group_size < 0):
        part.wrong("group_size", f"{variant.group_size}, which {variant.method} cannot have")
    part.end()
    return variant


def _cannot(part: Fields) -> Unsupported:
    part.text("method")
    entry = Unsupported(part.model_id("id"), part.text("reason"), part.model_id("nearest"))
    part.end()
    return entry


def _other(part: Fields) -> Unsupported:
    part.text("name")
    part.texts("sources")
    entry = Unsupported(part.model_id("id"), part.text("reason"), part.model_id("nearest"))
    part.end()
    return entry
