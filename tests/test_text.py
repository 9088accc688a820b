"""Text becomes terms, the same way for tools and for queries."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from hermes_plugin_toolsearch.text import stem, terms, words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("create_issue", ["create", "issue"]),
        ("chat.postMessage", ["chat", "postMessage"]),
        ("repos/list-branches:all", ["repos", "list", "branches", "all"]),
    ],
)
def test_separators_end_a_word(name: str, expected: list[str]) -> None:
    """Underscores, dots, slashes, hyphens and colons stand between words."""
    assert expected == words(name)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("createGoogleDoc", ("creat", "googl", "doc")),
        ("HTTPServer", ("httpserver", "http", "server")),
        ("updateDNSRecordsV1", ("updat", "dns", "record", "v1")),
        ("VMs", ("vm", "vm")),
        ("route53", ("route53", "rout")),
        ("GitHub", ("github", "git", "hub")),
    ],
)
def test_compounds_give_their_parts(word: str, expected: tuple[str, ...]) -> None:
    """CamelCase, acronyms and digits are split; a compound of two parts is kept as a whole too."""
    assert {stem(term) for term in expected} == set(terms(word))


def test_plurals_and_verb_forms_meet() -> None:
    """E4: "issues" finds ``create_issue`` and "listing" finds ``list``, since both sides are stemmed."""
    assert terms("issue list policy") == terms("issues listing policies")


def test_abbreviations_lose_their_plural() -> None:
    """A plural that the English stemmer leaves alone still meets its singular."""
    assert terms("pr vm") == terms("prs vms")


def test_unspaced_scripts_give_pairs_and_end_at_other_scripts() -> None:
    """E6: Chinese and Japanese give overlapping pairs, and a change of script ends a word."""
    assert ["解析", "pdf"] == words("解析pdf")
    assert ["日历", "历事", "事件"] == words("日历事件")
    assert ["図"] == words("図")


def test_other_alphabets_are_words() -> None:
    """E6: a Russian query is not empty."""
    assert ["создать", "задачу"] == words("создать задачу")


def test_accents_are_folded_but_kana_keep_their_marks() -> None:
    """``évènement`` and ``evenement`` are one word; ``が`` does not turn into ``か``."""
    assert words("evenement creer") == words("évènement créer")
    assert ["がす"] == words("がす")


def test_typographic_punctuation_ends_a_word() -> None:
    """Dashes and quotation marks beyond ASCII are no letters."""
    assert ["list", "all", "users"] == words("list—all “users”")


def test_apostrophes_do_not_cut_words() -> None:
    """Both apostrophes are left out, so that "don't" stays a stop word."""
    assert () == tuple(term for term in terms("don't") if term != "dont")
    assert words("user's") == words("user’s")


def test_stop_words_are_dropped_unless_there_is_nothing_else() -> None:
    """E12: a stop word never matches anything, except in a text that has no other word."""
    assert ("weather",) == terms("what is the weather")
    assert ("who", "am", "i") == terms("who am i")


def test_huge_and_broken_text_is_taken() -> None:
    """A word of a megabyte and a lone surrogate are data like any other."""
    assert 1 == len(terms("x" * 1_000_000))
    assert ("creat",) == terms("create \ud800")


def test_forms_of_a_word_have_one_stem() -> None:
    """Forms of one word have one stem, abbreviations lose their plural too, other scripts stay as they are."""
    for forms, expected in (
        ("create creates created creating", "creat"),
        ("schedule schedules scheduled scheduling", "schedul"),
        ("query queries querying", "queri"),
        ("vm vms", "vm"),
        ("münze", "münze"),
    ):
        assert {expected} == {stem(form) for form in forms.split()}


def test_stems_are_the_same_from_many_threads() -> None:
    """A Snowball stemmer keeps the word that it works on: threads must not share one."""
    made = [f"{prefix}{middle}{ending}" for prefix in ("re", "un", "") for middle in ("creat", "organiz", "schedul")
            for ending in ("ing", "ed", "ation", "es", "er")] * 40  # fmt: skip
    expected = [stem(word) for word in made]
    with ThreadPoolExecutor(16) as pool:
        assert expected == list(pool.map(stem, made))
