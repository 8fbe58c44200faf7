"""One peer on one input: `rivals.py PEER FILE LIMIT [BUDGET]`, its result and its cost as the last line of output.

The cost is processor time (user and system) and wall time around the work itself, without start, imports and reading.
"""

import heapq
import json
import resource
import sys
import time

import numpy as np
from scipy.optimize import minimize
from scipy.special import gammaln

import inputs

REPLICATES = 300


class Objective:
    """Minus F of docs/methods.md and its gradient in (log a, b): marginal log likelihood of the 2PL on 41 nodes, and priors
    log a ~ N(0, .5^2), b ~ N(0, 2^2) without their constants. Two matrix products an evaluation."""

    def __init__(self, labels):
        self.items, self.systems = labels.shape
        self.labels = labels.astype(float)
        self.log_weights = np.log(inputs.normal_weights())

    def start(self):
        rate = self.labels.mean(1).clip(0.02, 0.98)
        return np.concatenate([np.zeros(self.items), -np.log(rate / (1 - rate))])

    def __call__(self, x):
        log_a, b = x[: self.items], x[self.items :]
        a = np.exp(log_a)
        z = a[:, None] * (inputs.NODES - b[:, None])
        log_fail = -np.logaddexp(0, z)
        # log P = z + log(1 - P), so that one product with the labels serves passes and fails.
        joint = self.labels.T @ z + log_fail.sum(0) + self.log_weights
        peak = joint.max(1, keepdims=True)
        posterior = np.exp(joint - peak)
        sums = posterior.sum(1, keepdims=True)
        posterior /= sums
        value = (peak + np.log(sums)).sum() - (log_a**2).sum() / 0.5 - (b**2).sum() / 8
        residual = self.labels @ posterior - posterior.sum(0) * np.exp(z + log_fail)
        by_log_a = (residual * z).sum(1) - 4 * log_a
        by_b = -a * residual.sum(1) - b / 4
        return -value, -np.concatenate([by_log_a, by_b])


def labels_of(path):
    (systems, items), file = inputs.read(path, 2)
    return np.fromfile(file, "u1").reshape(items, systems)


def fit_numpy(path, _):
    labels = labels_of(path)

    def work():
        objective = Objective(labels)
        options = {"maxiter": 20000, "maxfun": 40000, "gtol": 1e-5, "ftol": 0}
        end = minimize(objective, objective.start(), jac=True, method="L-BFGS-B", options=options)
        a, b = np.exp(end.x[: objective.items]), end.x[objective.items :]
        return {"iterations": int(end.nit), "gradient": float(abs(end.jac).max()), "a": a, "b": b}

    return work


def fit_mirt(path, _, priors=False):
    import mirt
    from mirt.estimation import LogNormalPrior, NormalPrior

    labels = labels_of(path).T.astype(np.int64).copy()
    more = {"priors": {"discrimination": LogNormalPrior(0, 0.5), "difficulty": NormalPrior(0, 2)}} if priors else {}

    def work():
        end = mirt.fit_mirt(
            labels, "2PL", n_quadpts=41, max_iter=2000, compute_standard_errors=False, **more
        )
        found = end.model.parameters
        return {
            "iterations": int(end.n_iterations),
            "converged": bool(end.converged),
            "a": np.ravel(found["discrimination"]),
            "b": np.ravel(found["difficulty"]),
        }

    return work


def fit_mirt_priors(path, _):
    return fit_mirt(path, _, priors=True)


def fit_girth(path, _):
    import girth

    labels = labels_of(path).astype(np.int64)

    def work():
        end = girth.twopl_mml(labels, {"quadrature_n": 41, "quadrature_bounds": (-4, 4)})
        return {"a": end["Discrimination"], "b": end["Difficulty"]}

    return work


def information_of(path):
    (items, nodes), file = inputs.read(path, 2)
    weights = np.fromfile(file, "<f8", nodes)
    return np.fromfile(file, "<f8").reshape(items, nodes), weights


def greedy_numpy(path, budget):
    information, weights = information_of(path)

    def work():
        held, order = np.zeros(len(weights)), []
        free = np.ones(len(information), bool)
        for _ in range(budget):
            gains = np.log1p(information / (1 + held)) @ weights
            gains[~free] = -1
            best = int(gains.argmax())
            order.append(best)
            free[best] = False
            held += information[best]
        return {"order": order, "utility": float(np.log1p(held) @ weights)}

    return work


def greedy_heap(path, budget):
    information, weights = information_of(path)

    def work():
        blocks = np.array_split(information, len(information) // 65536 + 1)
        gains = np.concatenate([np.log1p(block) @ weights for block in blocks])
        heap = [(-gain, item, 0) for item, gain in enumerate(gains.tolist())]
        heapq.heapify(heap)
        held, order = np.zeros(len(weights)), []
        while len(order) < budget:
            gain, item, made = heapq.heappop(heap)
            if made == len(order):
                order.append(item)
                held = held + information[item]
            else:
                gain = float(np.log1p(information[item] / (1 + held)) @ weights)
                heapq.heappush(heap, (-gain, item, len(order)))
        return {"order": order, "utility": float(np.log1p(held) @ weights)}

    return work


def greedy_submodlib(path, budget, optimizer="NaiveGreedy"):
    import submodlib_cpp
    from submodlib import FeatureBasedFunction

    information, weights = information_of(path)
    nodes = range(len(weights))
    features = [[(node, float(row[node])) for node in nodes] for row in information]
    # The Python wrapper rescales features to [0, 1], which is another objective: its C++ object takes the raw ones.
    tiny = [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [1.0, 1.0]]
    function = FeatureBasedFunction(n=4, features=tiny, numFeatures=2, sparse=False)

    def work():
        function.n, function.numFeatures = len(features), len(weights)
        function.effective_ground = set(range(len(features)))
        function.cpp_obj = submodlib_cpp.FeatureBased(
            len(features), function.mode, features, len(weights), weights.tolist()
        )
        chosen = function.maximize(budget=budget, optimizer=optimizer, show_progress=False)
        order = [int(item) for item, _ in chosen]
        return {"order": order, "utility": float(np.log1p(information[order].sum(0)) @ weights)}

    return work


def greedy_submodlib_lazy(path, budget):
    return greedy_submodlib(path, budget, "LazyGreedy")


def panels_of(labels, judges):
    met = labels.sum(2, dtype=np.int64)
    return (met == judges).sum(1), (met == 0).sum(1), (2 * met > judges).sum(1)


def chances(counts, systems):
    """C(c, m) / C(M, m) for each item and m from 1 to M, by logarithms of factorials."""
    factorial = gammaln(np.arange(systems + 1) + 1.0)
    m = np.arange(1, systems + 1)
    left = counts[:, None] - m
    log_choose = factorial[counts][:, None] - factorial[left.clip(0)]
    log_all = factorial[systems] - factorial[systems - m]
    return np.where(left >= 0, np.exp(log_choose - log_all), 0.0)


def log_rate(m, retention):
    used = retention > 0
    return (m[used] * np.log(retention[used])).sum() / (m[used] ** 2).sum()


def resampled_rates(rows, counts):
    """The geometric rate of each row of `counts`: how often each item is drawn in a replicate."""
    m = np.arange(1, rows.shape[1] + 1)
    retention = counts @ rows / counts.sum(1, keepdims=True)
    return np.array([np.exp(log_rate(m, row)) for row in retention])


def attrition_numpy(path, _):
    (items, systems, judges), file = inputs.read(path, 3)
    labels = np.fromfile(file, "u1").reshape(items, systems, judges)

    def work():
        passes, fails, majority = panels_of(labels, judges)
        m = np.arange(1, systems + 1)
        unanimous = chances(passes + fails, systems)
        retention = unanimous.mean(0)
        alike = chances(majority, systems) + chances(systems - majority, systems)
        joint = (unanimous - chances(passes, systems) - chances(fails, systems)).mean(0)
        log_rho = log_rate(m, retention)
        used = retention > 0
        logs = np.log(retention[used])
        residual = ((logs - m[used] * log_rho) ** 2).sum()
        rates = (passes + fails) / systems
        first, second = rates.mean(), ((passes + fails) * (passes + fails - 1) / (systems * (systems - 1))).mean()
        size = first * (1 - first) / (second - first**2) - 1
        a, b = first * size, (1 - first) * size
        model = np.cumprod((a + m - 1) / (a + b + m - 1))
        rng = np.random.default_rng(0)
        replicates = []
        for _ in range(REPLICATES // 50):
            draws = [np.bincount(rng.integers(0, items, items), minlength=items) for _ in range(50)]
            replicates.append(resampled_rates(unanimous, np.array(draws, float)))
        return {
            "retention": retention,
            "distinguishability": (1 - alike).mean(0),
            "joint": joint,
            "peak": int(joint.argmax()) + 1,
            "rho": float(np.exp(log_rho)),
            "rho_rmse": float(np.sqrt(((retention[used] - np.exp(m[used] * log_rho)) ** 2).mean())),
            "r_squared": float(1 - residual / ((logs - logs.mean()) ** 2).sum()),
            "beta": [float(a), float(b), float(np.sqrt(((retention - model) ** 2).mean()))],
            "interval": np.quantile(np.concatenate(replicates), [0.025, 0.975]),
        }

    return work


def interval_of_draws(path):
    """The interval of the draws that our side left in `path`.draws."""
    (items, systems, judges), file = inputs.read(path, 3)
    labels = np.fromfile(file, "u1").reshape(items, systems, judges)
    draws = np.fromfile(f"{path}.draws", "<u4").reshape(-1, items).astype(float)
    passes, fails, _ = panels_of(labels, judges)
    return np.quantile(resampled_rates(chances(passes + fails, systems), draws), [0.025, 0.975])


def codes_of(path):
    (judges, levels, units), file = inputs.read(path, 3)
    return np.fromfile(file, "u1").reshape(units, judges), levels


def numbers_of(path):
    """Judges by units, as krippendorff takes them."""
    codes, _ = codes_of(path)
    return np.where(codes == 255, np.nan, codes.astype(float)).T.copy()


def alpha_krippendorff(path, _, level="nominal"):
    import krippendorff

    data = numbers_of(path)
    return lambda: {"values": [float(krippendorff.alpha(reliability_data=data, level_of_measurement=level))]}


def alpha_krippendorff_ordinal(path, _):
    return alpha_krippendorff(path, _, "ordinal")


def bootstrap_krippendorff(path, replicates):
    import krippendorff

    data = numbers_of(path)

    def work():
        rng, units = np.random.default_rng(0), data.shape[1]
        drawn = (data[:, rng.integers(0, units, units)] for _ in range(replicates))
        values = [krippendorff.alpha(reliability_data=some, level_of_measurement="nominal") for some in drawn]
        return {"values": [float(np.std(values, ddof=1))]}

    return work


def kappa_sklearn(path, _):
    from sklearn.metrics import cohen_kappa_score

    codes, _ = codes_of(path)
    pairs = [(a, b) for a in range(codes.shape[1]) for b in range(a + 1, codes.shape[1])]
    given = codes != 255
    # What sklearn cannot do, leaving out gaps, is done before its time is taken.
    columns = [codes[given[:, a] & given[:, b]][:, [a, b]].T.copy() for a, b in pairs]
    return lambda: {"values": [float(cohen_kappa_score(a, b)) for a, b in columns]}


PEERS = {
    "krippendorff, nominal": alpha_krippendorff,
    "krippendorff, ordinal": alpha_krippendorff_ordinal,
    "krippendorff + numpy": bootstrap_krippendorff,
    "scikit-learn": kappa_sklearn,
    "numpy + L-BFGS-B": fit_numpy,
    "mirt": fit_mirt,
    "mirt with priors": fit_mirt_priors,
    "girth": fit_girth,
    "numpy, all gains": greedy_numpy,
    "Python heap + numpy": greedy_heap,
    "submodlib naive": greedy_submodlib,
    "submodlib lazy": greedy_submodlib_lazy,
    "numpy + scipy": attrition_numpy,
}


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_mb():
    # getrusage would count the parent's memory from before the program was started.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def main():
    peer, path, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
    work = PEERS[peer](path, int(sys.argv[4]) if len(sys.argv) > 4 else None)
    processor, wall = processor_time(), time.perf_counter()
    most = int(processor) + 1 + limit
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    result = work()
    cost = {"cpu_s": processor_time() - processor, "wall_s": time.perf_counter() - wall}
    cost["peak_rss_mb"] = peak_mb()
    print("\n" + json.dumps({**cost, "result": result}, default=lambda array: np.asarray(array).tolist()))


if __name__ == "__main__":
    main()
