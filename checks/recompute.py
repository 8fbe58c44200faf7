"""Recomputes a run's fit and scores with numpy alone, from labels.csv and fit.json.

Usage: recompute.py RUN_FOLDER

What is checked: the objective F (METHODS 80), its gradient, the abilities and their standard errors, equation 1, and
the bank's utility. Nothing here calls Calibrant; a difference is a fault of one of the two programs.
"""

import csv
import json
import pathlib
import sys

import numpy as np

# Information is integrated on these; the fit on as many as fit.json names.
NODES = 41
SLOPE_SD = 0.5
DIFFICULTY_SD = 2.0

# fit.json stores full doubles, so what is left is the rounding of sums over some ten thousand terms.
OBJECTIVE = 1e-6
GRADIENT = 2e-6
ABILITY = 1e-8
SCORE = 1e-12


def load(folder):
    """Labels as a system x item matrix of 0, 1 and NaN, with the names of its rows and columns."""
    rows = [row for row in csv.DictReader(open(folder / "labels.csv", newline="")) if row["status"] == "ok"]
    systems = sorted({row["system"] for row in rows})
    items = sorted({(row["query"], row["criterion"]) for row in rows})
    matrix = np.full((len(systems), len(items)), np.nan)
    system_at = {name: at for at, name in enumerate(systems)}
    item_at = {name: at for at, name in enumerate(items)}
    for row in rows:
        at = system_at[row["system"]], item_at[row["query"], row["criterion"]]
        assert np.isnan(matrix[at]), f"two samples of {row}: this check reads one sample a cell"
        matrix[at] = float(row["label"])
    return systems, items, matrix


def grid(count):
    """Equally spaced nodes with the logarithms of normalised standard normal weights."""
    nodes = np.linspace(-4.0, 4.0, count)
    log_prior = -nodes**2 / 2
    return nodes, log_prior - np.log(np.exp(log_prior).sum())


def objective(slope, difficulty, labels, count):
    """F, its gradient in (log a, b), and the posterior over nodes: every node, with no window and nothing interpolated."""
    nodes, log_prior = grid(count)
    logit = slope[:, None] * (nodes[None] - difficulty[:, None])
    passed = np.where(np.isnan(labels), 0.0, labels)
    failed = np.where(np.isnan(labels), 0.0, 1.0 - labels)
    joint = passed @ -np.logaddexp(0, -logit) + failed @ -np.logaddexp(0, logit) + log_prior
    top = joint.max(axis=1, keepdims=True)
    marginal = top[:, 0] + np.log(np.exp(joint - top).sum(axis=1))
    posterior = np.exp(joint - marginal[:, None])
    log_slope = np.log(slope)
    value = marginal.sum() - (log_slope**2).sum() / (2 * SLOPE_SD**2) - (difficulty**2).sum() / (2 * DIFFICULTY_SD**2)
    chance = 1 / (1 + np.exp(-logit))
    residual = passed.T @ posterior * (1 - chance) - failed.T @ posterior * chance
    by_slope = slope * (residual * (nodes[None] - difficulty[:, None])).sum(axis=1) - log_slope / SLOPE_SD**2
    by_difficulty = -slope * residual.sum(axis=1) - difficulty / DIFFICULTY_SD**2
    return value, np.concatenate([by_slope, by_difficulty]), posterior, nodes


def main(folder):
    systems, items, labels = load(folder)
    fit = json.load(open(folder / "fit.json"))
    scores = {row["system"]: row for row in json.load(open(folder / "scores.json"))["systems"]}
    bank = json.load(open(folder / "bank.json"))
    faults = []

    def near(what, ours, theirs, tolerance):
        difference = float(np.max(np.abs(np.asarray(ours) - np.asarray(theirs))))
        print(f"{what}: largest difference {difference:.2e} (allowed {tolerance:.0e})")
        if not difference <= tolerance:
            faults.append(what)

    varies = np.nanmin(labels, axis=0) < np.nanmax(labels, axis=0)
    fitted = [item for item, keep in zip(items, varies) if keep]
    if fitted != [(row["query"], row["criterion"]) for row in fit["items"]]:
        faults.append("the items fitted are not those that vary")
    slope = np.array([row["discrimination"] for row in fit["items"]])
    difficulty = np.array([row["difficulty"] for row in fit["items"]])
    value, gradient, posterior, nodes = objective(slope, difficulty, labels[:, varies], fit["grid"]["nodes"])
    near("objective", value, fit["log_posterior"], OBJECTIVE)
    near("gradient", gradient, 0.0, GRADIENT)
    mean = posterior @ nodes
    error = np.sqrt(posterior @ nodes**2 - mean**2)
    near("abilities", mean, [row["ability"] for row in fit["systems"]], ABILITY)
    near("standard errors", error, [row["standard_error"] for row in fit["systems"]], ABILITY)

    queries = sorted({query for query, _ in items})
    columns = {query: [at for at, item in enumerate(items) if item[0] == query] for query in queries}
    score = np.nanmean([np.nanmean(labels[:, columns[query]], axis=1) for query in queries], axis=0)
    near("scores", score, [scores[system]["score"] for system in systems], SCORE)

    nodes, log_weights = grid(NODES)
    weights = np.exp(log_weights)
    chance = 1 / (1 + np.exp(-slope[:, None] * (nodes[None] - difficulty[:, None])))
    information = slope[:, None] ** 2 * chance * (1 - chance)
    position = {item: at for at, item in enumerate(fitted)}
    chosen = [position[row["query"], row["criterion"]] for row in bank["criteria"]]
    utility = weights @ np.log1p(information[chosen].sum(axis=0))
    near("utility of the bank", utility, bank["utility"], SCORE * 10)
    covered = np.zeros(NODES)
    for at, row in zip(chosen, bank["criteria"]):
        gains = weights @ np.log1p(information / (1 + covered)).T
        taken = set(chosen[: chosen.index(at)])
        feasible = [j for j, item in enumerate(fit["items"]) if not item["screened_out"] and j not in taken]
        kept = measurable(folder, bank["threshold"])
        best = max(gains[j] for j in feasible if fitted[j] in kept)
        if gains[at] < best - 1e-12:
            faults.append(f"greedy took {row['criterion']} with gain {gains[at]}, and {best} was to be had")
            break
        covered += information[at]
    if faults:
        print("FAULTS:", "; ".join(faults))
        return 1
    return 0


def measurable(folder, threshold, cache={}):
    """Items whose share of unanimous units, with one success and one failure added, reaches the threshold."""
    if folder not in cache:
        counts = {}
        for row in csv.DictReader(open(folder / "labels.csv", newline="")):
            if int(row["judges"]) >= 2:
                units, agreed = counts.get((row["query"], row["criterion"]), (0, 0))
                counts[row["query"], row["criterion"]] = units + 1, agreed + (row["consensus"] == "unanimous")
        cache[folder] = {
            item for item, (units, agreed) in counts.items() if (1 + agreed) / (2 + units) >= threshold - 1e-12
        }
    return cache[folder]


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
