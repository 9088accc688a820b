"""Train the static word-piece vectors: ``python train.py --work DIR`` writes ``DIR/student.npz`` and ``pieces.txt``.

The student of a text is the sum of its pieces' vectors, scaled to length 1; a piece's weight is the length of its
vector. It starts from what the teacher says of every piece alone (the idea of model2vec) and is then trained on

* the angle to the teacher's embedding of the same text,
* the teacher's similarities among the texts of a batch, and
* pairs of texts that mean the same, each against all others of the batch.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from teach import Teacher, read_lines
from tokenizers import Tokenizer
from tokenizers.models import WordPiece

SEED = 20261130

TEMPERATURE = 0.05

RIDGE = 1.0
SOLVER_ROUNDS = 2
SOLVER_STEPS = 12

RELATED = 512
"""Texts whose similarities among each other are compared; the cost grows with its square."""


def vocabulary(work: Path, texts: list[str], least_piece: int, least_word: int) -> list[str]:
    """The pieces of the student: the teacher's that occur, and whole words that the teacher takes apart.

    A word of its own has a vector of its own: ``webhook`` is not ``web`` and ``hook``. Punctuation has none.
    """
    tokenizer = Tokenizer.from_file(str(work / "teacher/tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    words: Counter[str] = Counter()
    for text in texts:
        normal = tokenizer.normalizer.normalize_str(text)
        words.update(word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal))
    pieces: Counter[str] = Counter()
    whole = []
    for word, count in words.items():
        if not word.isascii() or not word.isalnum():
            continue
        parts = tokenizer.encode(word, add_special_tokens=False).tokens
        if len(parts) > 1 and count >= least_word and word.isalpha() and len(word) < 24:
            whole.append(word)
            continue
        for part in parts:
            pieces[part] += count
    known = tokenizer.get_vocab()
    kept = [
        piece
        for piece in known
        if piece.removeprefix("##").isascii()
        and piece.removeprefix("##").isalnum()
        and (pieces[piece] >= least_piece or len(piece.removeprefix("##")) == 1)
    ]
    return sorted(set(kept) | set(whole))


def reference(work: Path, pieces: list[str]) -> Tokenizer:
    """The reference implementation of the tokenizer over the student's pieces."""
    tokenizer = Tokenizer.from_file(str(work / "teacher/tokenizer.json"))
    vocab = {"[UNK]": len(pieces), **{piece: row for row, piece in enumerate(pieces)}}
    tokenizer.model = WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=100)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def bags(tokenizer: Tokenizer, texts: list[str], unknown: int) -> tuple[np.ndarray, np.ndarray]:
    """All texts' piece ids in one row, and where each text starts."""
    flat: list[int] = []
    starts = [0]
    for begin in range(0, len(texts), 10_000):
        for encoded in tokenizer.encode_batch(texts[begin : begin + 10_000], add_special_tokens=False):
            flat.extend(i for i in encoded.ids[:64] if i != unknown)
            starts.append(len(flat))
    return np.array(flat, np.int64), np.array(starts, np.int64)


def solved(flat: np.ndarray, starts: np.ndarray, start: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Least squares: the piece vectors whose sums, each scaled by its length so far, come nearest to ``target``.

    Ridge regression towards ``start``, by conjugate gradients. Ten passes over all texts cost as much as a tenth of an
    epoch of gradient descent and bring the angles nine tenths of the way.
    """
    texts = len(starts) - 1
    columns, values = torch.from_numpy(flat), torch.ones(len(flat))
    bag = torch.sparse_csr_tensor(torch.from_numpy(starts), columns, values, (texts, len(start)))
    back = bag.to_sparse_coo().t().coalesce().to_sparse_csr()
    vectors, prior, wanted = torch.from_numpy(start), torch.from_numpy(start), torch.from_numpy(target)
    for round_ in range(SOLVER_ROUNDS):
        lengths = (bag @ vectors).norm(dim=1, keepdim=True).clamp(min=0.05)

        def squared(direction: torch.Tensor, lengths: torch.Tensor = lengths) -> torch.Tensor:
            return back @ ((bag @ direction) / lengths**2) + RIDGE * direction

        residual = back @ (wanted / lengths) + RIDGE * prior - squared(vectors)
        scale = 1 / ((back @ (1 / lengths**2)) + RIDGE)  # Jacobi: "the" occurs a hundred thousand times as often
        print(f"round {round_ + 1} of least squares: {(residual * scale).norm():.2f} to solve", flush=True)
        direction = scale * residual
        power = (residual * direction).sum(0)
        for _ in range(SOLVER_STEPS):
            changed = squared(direction)
            step = power / (direction * changed).sum(0).clamp(min=1e-12)
            vectors = vectors + step * direction
            residual -= step * changed
            improved = scale * residual
            before, power = power, (residual * improved).sum(0)
            direction = improved + power / before.clamp(min=1e-12) * direction
        print(f"{(residual * scale).norm():.2f} left", flush=True)
    return vectors.numpy()


class Student(torch.nn.Module):
    def __init__(self, start: np.ndarray) -> None:
        super().__init__()
        self.bag = torch.nn.EmbeddingBag.from_pretrained(torch.from_numpy(start), mode="sum", freeze=False, sparse=True)

    def forward(self, ids: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.normalize(self.bag(ids, offsets), eps=1e-6)


def picked(flat: np.ndarray, starts: np.ndarray, rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """The bags of ``rows``, as EmbeddingBag takes them."""
    lengths = starts[rows + 1] - starts[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    where = np.repeat(starts[rows] - offsets, lengths) + np.arange(lengths.sum())
    return torch.from_numpy(flat[where]), torch.from_numpy(offsets)


def likeness_loss(said: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """How far the similarities among the rows of ``said`` are from those among the rows of ``wanted``."""
    itself = 1e4 * torch.eye(len(said))
    mine = torch.log_softmax(said @ said.T / TEMPERATURE - itself, 1)
    truth = torch.log_softmax(wanted @ wanted.T / TEMPERATURE - itself, 1)
    return torch.nn.functional.kl_div(mine, truth, log_target=True, reduction="batchmean")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder that teach.py filled")
    parser.add_argument("--out", default="student.npz")
    parser.add_argument("--dims", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=0.002)
    parser.add_argument("--least-piece", type=int, default=2)
    parser.add_argument("--least-word", type=int, default=6)
    parser.add_argument("--pairs", type=float, default=2.0, help="weight of the pairs' loss")
    parser.add_argument("--relations", type=float, default=1.0, help="weight of the batch similarities' loss")
    parser.add_argument("--drop", type=float, default=0.1, help="share of pieces left out at random")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    work = arguments.work
    torch.manual_seed(SEED)
    torch.set_num_threads(arguments.threads)
    chance = np.random.default_rng(SEED)

    texts = read_lines(work / "texts.txt.gz")
    row_of = {text: row for row, text in enumerate(texts)}
    taught = np.load(work / "taught.npy")
    with gzip.open(work / "pairs.tsv.gz", "rt", encoding="utf-8", newline="\n") as lines:
        pairs = np.array([[row_of[side] for side in line.rstrip("\n").split("\t")] for line in lines])

    sample = taught[chance.choice(len(taught), min(60_000, len(taught)), replace=False)].astype(np.float32)
    _, vectors = np.linalg.eigh(sample.T @ sample)
    rotation = vectors[:, ::-1][:, : arguments.dims].astype(np.float32)

    pieces = vocabulary(work, texts, arguments.least_piece, arguments.least_word)
    tokenizer = reference(work, pieces)
    flat, starts = bags(tokenizer, texts, len(pieces))
    counts = np.bincount(flat, minlength=len(pieces)) + 1.0
    weights = 1e-3 / (1e-3 + counts / counts.sum())
    cache = work / "pieces.npz"
    alone: dict[str, np.ndarray] = {}
    if cache.exists():
        with np.load(cache) as kept:
            alone = dict(zip(kept["pieces"].tolist(), kept["taught"], strict=True))
    missing = [piece for piece in pieces if piece not in alone]
    if missing:
        said = Teacher(work / "teacher").encode([piece.removeprefix("##") for piece in missing])
        alone.update(zip(missing, said, strict=True))
        np.savez(cache, pieces=np.array(list(alone)), taught=np.stack(list(alone.values())))
    start = (
        np.stack([alone[piece] for piece in pieces]).astype(np.float32) @ rotation * weights[:, None].astype(np.float32)
    )
    target = taught.astype(np.float32) @ rotation
    target /= np.linalg.norm(target, axis=1, keepdims=True) + 1e-6
    print(f"{len(pieces)} pieces, {len(texts)} texts, {len(pairs)} pairs", flush=True)

    start = solved(flat, starts, start, target)
    np.savez(work / "solved.npz", vectors=start, pieces=np.array(pieces))
    student = Student(start)
    optimiser = torch.optim.SparseAdam(list(student.parameters()), lr=arguments.rate)
    usable = np.flatnonzero(starts[1:] > starts[:-1])
    is_usable = np.zeros(len(texts), bool)
    is_usable[usable] = True
    pairs = pairs[is_usable[pairs].all(1)]
    steps = arguments.epochs * (len(usable) // arguments.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, arguments.rate, total_steps=steps, pct_start=0.05)
    begun, step = time.time(), 0
    for epoch in range(arguments.epochs):
        order = chance.permutation(usable)
        paired = chance.permutation(pairs)
        sums = np.zeros(3)
        for batch in range(len(usable) // arguments.batch):
            rows = order[batch * arguments.batch : (batch + 1) * arguments.batch]
            half = arguments.batch // 2
            at = (batch * half) % max(1, len(paired) - half)
            left, right = paired[at : at + half, 0], paired[at : at + half, 1]
            everything = np.concatenate([rows, left, right])
            ids, offsets = picked(flat, starts, everything)
            if arguments.drop:
                keep = torch.rand(len(ids)) >= arguments.drop
                keep[offsets] = True
                offsets = (torch.cumsum(keep, 0) - 1)[offsets]
                ids = ids[keep]
            said = student(ids, offsets)
            wanted = torch.from_numpy(target[everything])
            angle = (1 - (said * wanted).sum(1)).mean()
            relations = sum(
                likeness_loss(said[part], wanted[part]) for part in torch.arange(len(rows)).split(RELATED)
            ) / (len(rows) / RELATED)
            one, two = said[len(rows) : len(rows) + half], said[len(rows) + half :]
            likeness = one @ two.T / TEMPERATURE
            answer = torch.arange(half)
            matched = torch.nn.functional.cross_entropy(likeness, answer) + torch.nn.functional.cross_entropy(
                likeness.T, answer
            )
            loss = angle + arguments.relations * relations + arguments.pairs * matched / 2
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            step += 1
            sums += [angle.item(), relations.item(), matched.item() / 2]
        angle_, relations_, matched_ = sums / (len(usable) // arguments.batch)
        print(
            f"epoch {epoch + 1}: angle {angle_:.4f}, relations {relations_:.4f}, pairs {matched_:.4f},"
            f" {time.time() - begun:.0f} s",
            flush=True,
        )
    np.savez(work / arguments.out, vectors=student.bag.weight.detach().numpy(), pieces=np.array(pieces))


if __name__ == "__main__":
    main()
