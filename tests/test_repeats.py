"""What is said when a session repeats itself."""

from __future__ import annotations

from hermes_plugin_toolsearch.refusals import Refusal
from hermes_plugin_toolsearch.repeats import SAME_ANSWERS, Repeats

WRONG = Refusal({"error": "no name", "corrected_call": {"name": "a", "arguments": {}}})


def test_the_third_search_without_a_call_says_to_call() -> None:
    """Two searches are let be; the third and each later one say which call to make, in other words each time (J4)."""
    repeats = Repeats()
    said = [repeats.searched(["mcp__github__create_issue"]) for _ in range(4)]
    assert said[:2] == [None, None]
    assert 'tool_call({"name": "mcp__github__create_issue", "arguments": {}})' in str(said[2])
    assert said[2] != said[3]


def test_searches_that_find_nothing_end_in_telling_the_user() -> None:
    """The third search that found no tool says to stop searching and to tell the user."""
    repeats = Repeats()
    said = [repeats.searched() for _ in range(3)]
    assert "tell the user" in str(said[2])


def test_a_call_starts_the_count_of_searches_anew() -> None:
    """Searching for the next step after a call is no repetition."""
    repeats = Repeats()
    for _ in range(5):
        assert repeats.searched() is None
        assert repeats.searched() is None
        repeats.called()


def test_an_identical_refusal_is_answered_in_the_same_words_only_a_bounded_number_of_times() -> None:
    """However often a call is repeated, no answer is read more than twice, and the fix stays (J2, J3, D13)."""
    repeats = Repeats()
    answers = [repeats.refused(WRONG).text for _ in range(400)]
    assert max(answers.count(answer) for answer in answers) <= SAME_ANSWERS
    assert answers[0] == WRONG.text
    assert all('"corrected_call"' in answer for answer in answers)
    assert all("Do not send this again" in answer for answer in answers[2:])


def test_different_refusals_are_counted_apart() -> None:
    """A second, different mistake gets its own answer in full."""
    repeats = Repeats()
    other = Refusal({"error": "no such tool"})
    assert [WRONG, other] == [repeats.refused(WRONG), repeats.refused(other)]


def test_what_is_remembered_is_bounded() -> None:
    """A session that fails in ever new ways does not grow without end; the oldest mistakes are forgotten."""
    repeats = Repeats()
    for number in range(1_000):
        repeats.refused(Refusal({"error": str(number)}))
    assert len(repeats._refused) <= 64
    assert repeats.refused(Refusal({"error": "0"})).message == {"error": "0"}
