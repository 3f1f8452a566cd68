"""``python -m tests.support.row_changes [--seed N] [--rows N] [ROW...]``: rows of docs/designs.md without their code.

One function of each row is changed in a copy of the checkout, and the row's tests run. The exit code is 1 when they
pass with a change.
"""

import argparse
import random
import sys

from tests.support.paths import ROOT
from tests.support.row_changes.rows import KILLED, chosen, fate, subjects
from tests.support.row_changes.tree import Tree


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.support.row_changes")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("row", nargs="*", help="these rows, instead of some that the seed chooses")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    mine = [each for each in subjects() if each.id in options.row or not options.row]
    count, killed = 0, 0
    with Tree.of(ROOT) as tree:
        for subject in chosen(mine, options.seed, options.rows):
            found = fate(tree, subject, options.seed)
            print(found, flush=True)
            count, killed = count + 1, killed + (found.state == KILLED)
    print(f"{killed} of {count} killed")
    return int(killed < count)


if __name__ == "__main__":
    sys.exit(main())
