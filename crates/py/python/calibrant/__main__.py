"""The command line: ``calibrant`` and ``python -m calibrant``."""

import sys

from . import _calibrant


def main() -> int:
    """Run the command line on ``sys.argv`` and return its exit code."""
    return _calibrant.main(["calibrant", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
