"""``jsonschema`` for foreign schemas: the declared draft, a bounded number of steps, nothing fetched, no foreign regex.

``pattern`` and ``patternProperties`` are not evaluated: Python cannot stop an expression that backtracks for hours,
and it reads another dialect than the one they are written in. A schema that has them is therefore weaker than it
was, and the keywords that would turn a weaker part into a stricter whole (``not``, ``if``, exactly one in ``oneOf``)
are not evaluated there either.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from .cache import Cache
from .catalog import Entry
from .repair import Steps

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

_Keyword = Callable[[Any, Any, Any, Any], Any]

_steps: ContextVar[Steps] = ContextVar("toolsearch_validation_steps")
_validators: Cache[str, Validator | None] = Cache(256)

_REGEX = ("pattern", "patternProperties")
_NOT_WEAKER = ("not", "if", "maxContains", "unevaluatedProperties", "unevaluatedItems")


def violations(entry: Entry, arguments: Mapping[str, Any], steps: Steps) -> Iterator[ValidationError]:
    """Yield where ``arguments`` do not fit the schema of ``entry``; nothing for a schema that is none.

    Raises what an unresolvable reference, TooLargeError or RecursionError makes of the evaluation: it is lazy, so
    only if it comes to that.
    """
    validator = _validators.get(entry.fingerprint, partial(_validator, entry.parameters))
    if validator is not None:
        _steps.set(steps)
        yield from validator.iter_errors(arguments)


def _validator(schema: Mapping[str, Any]) -> Validator | None:
    try:
        from jsonschema import Draft202012Validator, FormatChecker
        from jsonschema.validators import validator_for
        from referencing import Registry
    except ImportError:  # a folder plugin brings no packages
        return None
    try:
        draft: Any = validator_for(schema, default=Draft202012Validator)
        # No format is checked: a pattern that only Python cannot compile does not make a schema a broken one.
        draft.check_schema(schema, format_checker=FormatChecker(formats=()))
    except Exception:
        return None
    # An empty registry without a way to retrieve: a reference out of the schema stays unresolved.
    validator: Validator = _bounded(draft, _has_regex(schema))(schema, registry=Registry())
    return validator


@lru_cache(maxsize=32)
def _bounded(draft: Any, weaker: bool) -> Any:
    """``draft`` with every keyword counted, ``nullable`` honoured, and what cannot be trusted left out."""
    from jsonschema import validators

    keywords: dict[str, _Keyword] = dict(draft.VALIDATORS)
    keywords["uniqueItems"] = _unique_items
    keywords["multipleOf"] = partial(_multiple_of, keywords.get("multipleOf", _nothing))
    for word in _REGEX:
        keywords[word] = _nothing
    if weaker:
        for word in _NOT_WEAKER:
            keywords[word] = _nothing
        keywords["oneOf"] = keywords.get("anyOf", _nothing)
        keywords["additionalProperties"] = partial(_additional, keywords["additionalProperties"])
    extend: Any = validators.extend
    return extend(draft, {word: partial(_counted, keyword) for word, keyword in keywords.items()})


def _counted(keyword: _Keyword, validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    sized = [part for part in (value, instance) if isinstance(part, list | dict)]
    _steps.get().take(1 + sum(map(len, sized)))
    if instance is None and schema.get("nullable") is True:  # how OpenAPI writes it
        return
    yield from keyword(validator, value, instance, schema) or ()


def _nothing(validator: Any, value: Any, instance: Any, schema: Any) -> tuple[()]:
    return ()


def _additional(keyword: _Keyword, validator: Any, value: Any, instance: Any, schema: Any) -> Any:
    return () if "patternProperties" in schema else keyword(validator, value, instance, schema)


def _multiple_of(keyword: _Keyword, validator: Any, value: Any, instance: Any, schema: Any) -> Any:
    # 19.99 is no multiple of 0.01 in binary floating point.
    return keyword(validator, value, instance, schema) if isinstance(value, int) and isinstance(instance, int) else ()


def _unique_items(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """In linear time; jsonschema compares objects pair by pair."""
    from jsonschema.exceptions import ValidationError

    if value is True and isinstance(instance, list):
        texts = {json.dumps(item, sort_keys=True, default=str) for item in instance}
        if len(texts) < len(instance):
            yield ValidationError("not unique")


def _has_regex(schema: Mapping[str, Any]) -> bool:
    waiting: list[object] = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            # A parameter may be called `pattern`: then its value is a schema, not text.
            if isinstance(part.get("pattern"), str) or "patternProperties" in part:
                return True
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return False
