"""Arrays of codes are used where they lie: shown by the most memory that a process ever had."""

import subprocess
import sys
import textwrap

#: Bytes of the array, and the most that a call may add: its sums, the stacks of its threads and what the allocator keeps.
ARRAY = 50_000_000
EXTRA = ARRAY // 10


def peak_beside(kind: str) -> int:
    """Bytes by which the peak grows while alpha is computed of 10,000,000 units and 5 judges in an array of this kind."""
    program = textwrap.dedent(
        f"""
        import resource, numpy as np
        from calibrant import stats
        few = np.random.default_rng(7).integers(0, 3, size=(1000, 5), dtype=np.uint8)
        stats.krippendorff_alpha(few, levels=[0, 1, 2], interval=None)
        ratings = np.tile(few, (10_000, 1)).astype(np.{kind})
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        alpha = stats.krippendorff_alpha(ratings, levels=[0, 1, 2], interval=None)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert -1 < alpha.value < 1
        print((after - before) * 1024)
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=True)
    return int(done.stdout)


def test_codes_are_not_copied() -> None:
    assert peak_beside("uint8") < EXTRA


def test_the_peak_shows_a_copy_where_there_is_one() -> None:
    # Other kinds are coded into bytes, one a label: the measure sees that, so it would see a copy of codes.
    assert peak_beside("int16") > ARRAY - EXTRA
