"""What a million input tokens cost, for the models that most people run."""

from __future__ import annotations

from dataclasses import dataclass

AS_OF = "September 2026"

# USD per million input tokens, plain and read from the provider's cache: list prices at
# https://platform.claude.com/docs/en/about-claude/pricing, https://openai.com/api/pricing,
# https://ai.google.dev/gemini-api/docs/pricing and https://api-docs.deepseek.com/quick_start/pricing.
# The longest name that a model's begins with counts; a model that is not here gets no price.
_PRICES: dict[str, tuple[float, float]] = {
    "claude-opus": (5.0, 0.5),
    "claude-sonnet": (3.0, 0.3),
    "claude-haiku-4": (1.0, 0.1),
    "gpt-5.6-sol": (5.0, 0.5),
    "gpt-5.6-terra": (2.5, 0.25),
    "gpt-5.6-luna": (1.0, 0.1),
    "gemini-2.5-pro": (1.25, 0.125),
    "gemini-3.6-flash": (1.5, 0.15),
    "deepseek-v4-flash": (0.15, 0.003),
    "deepseek-v4-pro": (0.66, 0.022),
}


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million input tokens, plain and from the provider's prompt cache."""

    plain: float
    cached: float


def price_of(model: str) -> Price | None:
    """The price of ``model``, with or without its maker before a slash, or None where it is not known."""
    name = model.lower().rpartition("/")[2].replace("_", "-")
    known = max((key for key in _PRICES if name.startswith(key)), key=len, default=None)
    return Price(*_PRICES[known]) if known else None
