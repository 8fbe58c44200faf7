"""The shared inputs of the peers' bench: simulated, seeded, written once a run and read by both sides.

A file opens with its shape as 64-bit numbers, little endian; crates/stats/examples/peers.rs describes the rest.
"""

import numpy as np

NODES = np.linspace(-4, 4, 41)


def normal_weights():
    density = np.exp(-NODES * NODES / 2)
    return density / density.sum()


def write(path, shape, *arrays):
    with open(path, "wb") as file:
        np.array(shape, "<u8").tofile(file)
        for array in arrays:
            array.tofile(file)


def read(path, dimensions):
    """The shape, and the file to read on from."""
    file = open(path, "rb")
    return [int(n) for n in np.fromfile(file, "<u8", dimensions)], file


def fit(path, systems, items, seed=7):
    """2PL labels, log a ~ N(0, .3^2), b and theta ~ N(0, 1), constant items dropped; the truth beside them."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=systems)
    a, b = np.exp(rng.normal(0, 0.3, items)), rng.normal(size=items)
    passed = rng.random((items, systems)) < 1 / (1 + np.exp(-a[:, None] * (theta - b[:, None])))
    keep = passed.any(1) & ~passed.all(1)
    write(path, [systems, keep.sum()], passed[keep].astype("u1"))
    np.savez(f"{path}.truth.npz", a=a[keep], b=b[keep])


def greedy(path, items, seed=13):
    """Information of 2PL items, log a ~ N(0, .5^2), b ~ N(0, 1.5^2), on 41 nodes with normal weights."""
    rng = np.random.default_rng(seed)
    a, b = np.exp(rng.normal(0, 0.5, items)), rng.normal(0, 1.5, items)
    with open(path, "wb") as file:
        np.array([items, len(NODES)], "<u8").tofile(file)
        normal_weights().tofile(file)
        for start in range(0, items, 65536):
            part = slice(start, start + 65536)
            p = 1 / (1 + np.exp(-a[part, None] * (NODES - b[part, None])))
            (a[part, None] ** 2 * p * (1 - p)).tofile(file)


def attrition(path, systems, items, judges, seed=3):
    """Labels of judges whose chance of an error differs between items."""
    rng = np.random.default_rng(seed)
    ease, error = rng.random(items), rng.beta(1, 8, items)
    truth = rng.random((items, systems)) < ease[:, None]
    wrong = rng.random((items, systems, judges)) < error[:, None, None]
    write(path, [items, systems, judges], (truth[:, :, None] ^ wrong).astype("u1"))


def agreement(path, units, judges=5, levels=5, seed=17):
    """Labels on a scale with unequal shares, each right with chance .7 and else any level; one in ten missing (255)."""
    rng = np.random.default_rng(seed)
    shares = np.cumsum([0.35, 0.25, 0.2, 0.15])
    with open(path, "wb") as file:
        np.array([judges, levels, units], "<u8").tofile(file)
        for start in range(0, units, 1 << 20):
            count = min(1 << 20, units - start)
            truth = np.searchsorted(shares, rng.random(count)).astype("u1")
            codes = np.where(
                rng.random((count, judges)) < 0.7, truth[:, None], rng.integers(0, levels, (count, judges), "u1")
            )
            codes[rng.random((count, judges)) < 0.1] = 255
            codes.tofile(file)
