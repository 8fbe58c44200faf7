"""pandas, and R where it is, read what we write: `python checks/formats/wide.py PROGRAM`.

Imports and runs the HealthBench fixtures, exports the matrix with its code book and item parameters, and reads them: every column a number, names as
they are, and the two forms of parameters the same curve. Ends with 0 if all of it holds, with 1 if something does not, and with 2 if pandas is
not there. Without `Rscript` only pandas reads, which is said.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "formats" / "healthbench"

R = """
matrix <- read.csv("matrix.csv", row.names = 1)
book <- read.csv("matrix.codebook.csv", stringsAsFactors = FALSE)
stopifnot(identical(names(matrix), book$item), all(sapply(matrix, is.numeric)))
stopifnot(all(dim(matrix) == c(4, 16)), sum(is.na(matrix)) == 0)
steep <- read.csv("slope-intercept.csv")
hard <- read.csv("slope-difficulty.csv")
stopifnot(identical(steep$item, book$item), identical(names(steep), c("item", "a1", "d", "se_a1", "se_d")))
theta <- seq(-3, 3, 0.5)
for (row in which(!is.na(hard$a))) {
  one <- plogis(steep$a1[row] * theta + steep$d[row])
  other <- plogis(hard$a[row] * (theta - hard$b[row]))
  stopifnot(max(abs(one - other)) < 1e-12)
}
cat(R.version.string, "\\n")
"""


def main():
    try:
        import pandas
    except ImportError as reason:
        print(f"pandas is not there: {reason}")
        return 2
    program = pathlib.Path(sys.argv[1]).resolve()
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        here = pathlib.Path(name)
        files = [DATA / "pool.jsonl", *sorted(DATA.glob("*_allresults.json"))]
        export = ["export", "--to", "wide", "--from", "project/out", "--out"]
        for arguments in (
            ["import", *files, "--judge", "grader", "--out", "project"],
            ["run", "--config", "project/calibrant.toml"],
            [*export, "matrix.csv"],
            [*export, "slope-intercept.csv", "--parameters", "slope-intercept"],
            [*export, "slope-difficulty.csv", "--parameters", "slope-difficulty"],
        ):
            subprocess.run([program, *arguments], check=True, cwd=here, capture_output=True)
        matrix = pandas.read_csv(here / "matrix.csv", index_col=0)
        book = pandas.read_csv(here / "matrix.codebook.csv")
        if list(matrix.columns) != list(book["item"]) or matrix.shape != (4, 16):
            wrong.append(f"pandas: the matrix is {matrix.shape} with {list(matrix.columns)}")
        if not all(kind.kind in "if" for kind in matrix.dtypes):
            wrong.append(f"pandas: columns are {set(matrix.dtypes)}")
        steep = pandas.read_csv(here / "slope-intercept.csv")
        hard = pandas.read_csv(here / "slope-difficulty.csv")
        if not (steep["d"] + hard["a"] * hard["b"]).abs().max() < 1e-12:
            wrong.append("pandas: d is not -a b")
        if shutil.which("Rscript"):
            ran = subprocess.run(["Rscript", "-e", R], cwd=here, capture_output=True, text=True)
            print(ran.stdout.strip())
            if ran.returncode:
                wrong.append(f"R: {ran.stderr.strip()}")
        else:
            print("R is not there: read by pandas alone")
    for line in wrong:
        print(line)
    print(f"wide: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
