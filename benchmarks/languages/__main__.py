"""Measure queries in other languages over English tools: ``python -m benchmarks.languages``.

Twelve needs, each in Chinese, Japanese, Russian, Spanish and German, written for this project, over the captured
servers. Writes the section "languages" of docs/benchmarks.md.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

from benchmarks import common, data
from benchmarks.engines import toolsearch
from hermes_plugin_toolsearch.retrieval import meaning, query, search

QUERIES = Path(__file__).with_name("queries.jsonl")
LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "ru": "Russian", "es": "Spanish", "de": "German"}


def found(catalog: object, *, glossary: bool, semantic: str) -> dict[str, list[float]]:
    """Recall@5 of every query, by language."""
    result = defaultdict(list)
    with ExitStack() as patched:
        if not glossary:
            for module in (query, meaning):
                patched.enter_context(mock.patch.object(module, "in_english", lambda text: ""))
        for row in data.read_lines(QUERIES):
            hits = search(catalog, row["query"], 5, semantic=semantic).hits
            result[row["language"]].append(common.hits_at([hit.entry.name for hit in hits], row["groups"], 5))
    return result


def main() -> None:
    catalog = toolsearch.prepare(data.captured())
    ways = [
        found(catalog, glossary=False, semantic="off"),
        found(catalog, glossary=True, semantic="off"),
        found(catalog, glossary=True, semantic="on"),
    ]
    rows = [
        [title, str(len(ways[0][code])), *(f"{sum(way[code]) / len(way[code]):.2f}" for way in ways)]
        for code, title in LANGUAGES.items()
    ]
    text = common.table(["language", "queries", "words alone", "with the glossary", "and meaning"], rows)
    note = (
        f"Recall@5 over {len(catalog)} tools described in English. The queries and the glossary were written by the "
        "same hand, so these figures say that the way works, not how many words the glossary lacks."
    )
    common.write_section("languages", f"{note}\n\n{text}")
    print(text)


if __name__ == "__main__":
    main()
