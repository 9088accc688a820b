"""Store the trained vectors in 8 bits where the package reads them: ``python pack.py --work DIR``.

Writes ``hermes_plugin_toolsearch/data/{pieces.txt,vectors.npy,scales.npy}`` and what the reference tokenizer makes of
some texts with these pieces (``tests/pieces.json``), which the tests hold the package's own tokenizer to.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from train import reference

REPOSITORY = Path(__file__).resolve().parent.parent

PROBES = (
    "Create a new pull request for the feature branch.",
    "list_files-changed in PR #42 (GitHub)",
    "Kubernetes webhooks & OAuth2 tokens; getHTTPResponseCode v2.1",
    "Überprüfe die Größe des Cafés: naïve résumé, façade",
    "解析 pdf 文件 and e-mail 送信",
    "antidisestablishmentarianism's hyperparameterisation",
    "  tabs\tand\nnew lines \u00a0 non-breaking ",
    "user@example.com https://example.com/path?q=1&r=2",
    "ALLCAPS camelCase snake_case kebab-case 3D 10k $5.00",
    "emoji 🙂 in the middle",
    "",
)


def quantise(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 rows (pieces, dims) and their float16 scales (pieces,)."""
    scales = (np.abs(vectors).max(axis=1) / 127).astype(np.float16)
    scales = np.maximum(scales, np.float16(1e-6))
    return np.rint(vectors / scales[:, None].astype(np.float32)).clip(-127, 127).astype(np.int8), scales


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder that train.py filled")
    parser.add_argument("--student", default="student.npz")
    arguments = parser.parse_args()
    with np.load(arguments.work / arguments.student) as student:
        pieces, vectors = student["pieces"].tolist(), student["vectors"]
    data = REPOSITORY / "hermes_plugin_toolsearch/data"
    data.mkdir(exist_ok=True)
    stored, scales = quantise(vectors)
    np.save(data / "vectors.npy", stored)
    np.save(data / "scales.npy", scales)
    (data / "pieces.txt").write_text("\n".join(pieces), "utf-8", newline="\n")
    tokenizer = reference(arguments.work, pieces)
    probes = [{"text": text, "pieces": tokenizer.encode(text, add_special_tokens=False).tokens} for text in PROBES]
    (REPOSITORY / "tests/pieces.json").write_text(json.dumps(probes, indent=1) + "\n", "utf-8")
    print(", ".join(f"{path.name} {path.stat().st_size / 1e6:.2f} MB" for path in sorted(data.iterdir())))


if __name__ == "__main__":
    main()
