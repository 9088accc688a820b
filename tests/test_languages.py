"""Foreign words of a query in English."""

import pytest

from hermes_plugin_toolsearch.languages import in_english


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
