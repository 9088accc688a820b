"""The table of scenarios and releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from testing import matrix

REPORT = """<testsuites><testsuite>
<testcase classname="tests.hermes.test_scenarios" name="test_off_is_off[hermes-0.13.0-false]"/>
<testcase classname="tests.hermes.test_scenarios" name="test_off_is_off[hermes-0.13.0-off]"><failure/></testcase>
<testcase classname="tests.hermes.test_scenarios" name="test_off_is_off[hermes-0.22.2.post1-off]"/>
<testcase classname="tests.hermes.test_scenarios" name="test_smoke_a_turn[hermes-0.19.0]"><skipped/></testcase>
<testcase classname="tests.hermes.test_calls" name="test_something_else[hermes-0.19.0]"/>
</testsuite></testsuites>"""


def test_a_scenario_fails_where_one_of_its_cases_fails(tmp_path: Path) -> None:
    """Cases of one scenario and release are one mark; tests of other files are left out."""
    report = tmp_path / "report.xml"
    report.write_text(REPORT, encoding="utf-8")
    assert matrix.outcomes(report) == {
        "off is off": {"0.13.0": matrix.FAILED, "0.22.2.post1": matrix.PASSED},
        "a turn": {"0.19.0": matrix.SKIPPED},
    }


def test_the_table_takes_the_place_of_the_one_before() -> None:
    """A document keeps all that is around the table, and gets one table however often it is written."""
    document = f"Before\n{matrix.BEGIN}\n{matrix.END}\nAfter\n"
    once = matrix.insert(document, "| table |")
    assert once == f"Before\n{matrix.BEGIN}\n| table |\n{matrix.END}\nAfter\n"
    assert matrix.insert(once, "| table |") == once


def test_a_document_without_a_place_is_left_alone() -> None:
    """Nothing is written where nobody asked for a table."""
    with pytest.raises(ValueError, match="no place"):
        matrix.insert("A page.", "| table |")
