"""The bounded store."""

from concurrent.futures import ThreadPoolExecutor

from hermes_plugin_toolsearch.cache import Cache


def test_a_value_is_made_once() -> None:
    """The second request for a key gets what the first one made."""
    cache: Cache[str, object] = Cache(2)
    made = cache.get("a", object)
    assert made is cache.get("a", object)


def test_the_value_that_was_used_longest_ago_goes_first() -> None:
    """A full store drops what nobody asked for lately."""
    cache: Cache[str, str] = Cache(2)
    cache.get("a", lambda: "old")
    cache.get("b", lambda: "old")
    cache.get("a", lambda: "new")
    cache.get("c", lambda: "old")
    assert 2 == len(cache)
    assert ["old", "new"] == [cache.get("a", lambda: "new"), cache.get("b", lambda: "new")]


def test_a_failure_is_not_kept() -> None:
    """After a value could not be made the next request tries again."""
    cache: Cache[str, float] = Cache(2)
    for make, expected in ((lambda: 1 / 0, None), (lambda: 1.0, 1.0)):
        try:
            made = cache.get("a", make)
        except ZeroDivisionError:
            made = None
        assert expected == made


def test_threads_share_a_store() -> None:
    """However many threads ask, each gets the value of its key and the bound is kept."""
    cache: Cache[int, int] = Cache(50)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda number: cache.get(number % 97, lambda: number % 97 * 2), range(20_000)))
    assert [number % 97 * 2 for number in range(20_000)] == found
    assert 50 == len(cache)
