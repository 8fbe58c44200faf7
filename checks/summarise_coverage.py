#!/usr/bin/env python3
"""Sums up the tables that the example `coverage` prints: least, mean and largest share a method held, by one column at a time.

    checks/summarise_coverage.py docs/coverage/contrasts.md
"""

import sys

# What a row of a table is about; the columns after these are methods.
KEYS = ["judge error", "interaction", "a query", "systems", "items", "queries"]
AGREEMENT = ["judges", "shares of levels", "gaps", "units"]


def rows(path):
    """The heads of the methods, and for each row its keys and the share of each method, `None` where there is none."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip().strip("|").split("|") for line in file if line.startswith("|")]
    heads = [cell.strip() for cell in lines[0]]
    keys = AGREEMENT if heads[0] == AGREEMENT[0] else KEYS
    found = []
    for line in lines[2:]:
        cells = [cell.strip() for cell in line]
        shares = [None if cell == "–" else float(cell.split()[0]) for cell in cells[len(keys):]]
        found.append((dict(zip(keys, cells)), shares))
    return heads[len(keys):], found


def summary(shares):
    known = [share for share in shares if share is not None]
    if not known:
        return "–"
    return f"{sum(known) / len(known):.3f} ({min(known):.3f} to {max(known):.3f})"


def main():
    heads, found = rows(sys.argv[1])
    print("| | settings | " + " | ".join(heads) + " |")
    print("|" + "---|" * (len(heads) + 2))
    groups = [("all", lambda row: True)]
    for key in [key for key in found[0][0] if key != "queries"]:
        values = sorted({row[key] for row, _ in found}, key=lambda value: (len(value), value))
        # Items are rounded to whole queries: what counts is about how many there are.
        if key == "items":
            groups += [(f"{low} to {high} items", lambda row, low=low, high=high: low <= int(row["items"]) <= high)
                       for low, high in [(48, 50), (288, 300), (624, 624)]]
        else:
            groups += [(f"{key}: {value}", lambda row, key=key, value=value: row[key] == value) for value in values]
    for name, takes in groups:
        some = [shares for row, shares in found if takes(row)]
        if some:
            columns = [summary([shares[at] for shares in some]) for at in range(len(heads))]
            print(f"| {name} | {len(some)} | " + " | ".join(columns) + " |")


if __name__ == "__main__":
    main()
