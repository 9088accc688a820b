"""Foreign words of a query in English."""

import pytest

from hermes_plugin_toolsearch.answers import search_answer
from hermes_plugin_toolsearch.catalog import build_catalog, make_entry
from hermes_plugin_toolsearch.config import ToolSearchConfig
from hermes_plugin_toolsearch.languages import in_english, is_foreign
from hermes_plugin_toolsearch.names import DEFAULT_NAMES


@pytest.mark.parametrize(
    ("query", "english"),
    [
        ("在频道里发送消息", "channel send message"),
        ("カレンダーに予定を追加して", "calendar schedule add"),
        ("создай новую задачу в проекте", "create new task project"),
        ("Lösche die Datei", "delete file"),
        ("crear un evento en el calendario", "create event meeting calendar"),
    ],
)
def test_foreign_words_are_given_in_english(query: str, english: str) -> None:
    """Chinese, Japanese, Russian, German and Spanish words of tools are looked up, whatever their ending."""
    assert english == in_english(query)


@pytest.mark.parametrize(
    "query", ["create a pull request for the test branch", "delete all es indices", "merge la", "", "naïve note: ok"]
)
def test_a_query_in_english_gains_nothing(query: str) -> None:
    """Beginnings of foreign words must not be seen in English ones."""
    assert "" == in_english(query)


@pytest.mark.parametrize(
    ("query", "foreign"),
    [
        ("구매 내역을 보여줘", True),
        ("αναζήτηση αρχείων", True),
        ("zeige alle offenen Fehler", True),
        ("opening hours of the café", False),
        ("send an email", False),
        ("", False),
    ],
)
def test_another_language_is_noticed(query: str, foreign: bool) -> None:
    """By letters, or by small words; an accent or two do not make a language."""
    assert foreign == is_foreign(query)


def test_an_unsure_answer_to_another_language_asks_for_english() -> None:
    """What the glossary does not hold is answered with what to do, not with silence; English is not told so."""
    entry, _ = make_entry({"name": "mcp__files__read_file", "description": "Reads a file."})
    assert entry is not None
    catalog = build_catalog([entry])
    foreign = search_answer({"query": "구매 내역"}, catalog, ToolSearchConfig(), DEFAULT_NAMES)
    english = search_answer({"query": "purchase history"}, catalog, ToolSearchConfig(), DEFAULT_NAMES)
    assert "in English" in foreign["note"]
    assert "in English" not in english["note"]
