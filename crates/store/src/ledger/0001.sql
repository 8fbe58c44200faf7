-- Names, each once: rows hold their codes. Codes are never given twice, and names are never taken away.
CREATE TABLE name (
    code INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

-- Verdicts, a row each, only ever added. The cell is (system, query, sample, criterion, judge, repeat).
CREATE TABLE verdict (
    row            INTEGER PRIMARY KEY,
    system         INTEGER NOT NULL,
    query          INTEGER NOT NULL,
    sample         INTEGER NOT NULL,
    criterion      INTEGER NOT NULL,
    judge          INTEGER NOT NULL,
    repeat         INTEGER NOT NULL,
    label          REAL,
    status         INTEGER NOT NULL,
    withdrawn      INTEGER NOT NULL,
    probability    REAL,
    verdict_source INTEGER,
    reason         TEXT,
    evidence       TEXT,
    comment        TEXT,
    flags          TEXT,
    raw            TEXT,
    rubric_hash    INTEGER,
    card_hash      INTEGER,
    verdict_key    BLOB,
    model_answered INTEGER,
    finish_reason  INTEGER,
    attempts       INTEGER,
    tokens_in      INTEGER,
    tokens_cached  INTEGER,
    tokens_out     INTEGER,
    cost_usd       REAL,
    latency_ms     INTEGER,
    position       INTEGER,
    step           INTEGER,
    exercise       INTEGER,
    judged_at      TEXT
) STRICT;

CREATE INDEX verdict_by_cell ON verdict (query, criterion, system, sample, judge, repeat);

-- Eight bytes tell keys apart well enough to be found by; the whole key is compared after.
CREATE INDEX verdict_by_key ON verdict (substr(verdict_key, 1, 8)) WHERE verdict_key IS NOT NULL;

-- Acts of graders, a row each, only ever added. `act` is the JSON of the act.
CREATE TABLE mark (
    row       INTEGER PRIMARY KEY,
    exercise  INTEGER NOT NULL,
    grader    INTEGER NOT NULL,
    nth       INTEGER NOT NULL,
    unit      INTEGER NOT NULL,
    criterion INTEGER,
    act       TEXT NOT NULL,
    at        TEXT NOT NULL,
    UNIQUE (exercise, grader, nth)
) STRICT;

-- Sheets of a round of grading: the round is open until every one of them is locked.
CREATE TABLE sheet (
    exercise INTEGER NOT NULL,
    grader   INTEGER NOT NULL,
    PRIMARY KEY (exercise, grader)
) STRICT, WITHOUT ROWID;

-- Sheets that are done: no mark is added to them any more.
CREATE TABLE lock (
    exercise INTEGER NOT NULL,
    grader   INTEGER NOT NULL,
    at       TEXT NOT NULL,
    PRIMARY KEY (exercise, grader)
) STRICT, WITHOUT ROWID;

-- How disagreements ended, a row each, only ever added; the newest of a disagreement stands.
CREATE TABLE resolution (
    row           INTEGER PRIMARY KEY,
    disagreement  TEXT NOT NULL,
    criterion     TEXT NOT NULL,
    exercise      TEXT NOT NULL,
    unit          TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    text          TEXT NOT NULL,
    by            TEXT NOT NULL,
    rubric_before TEXT NOT NULL,
    rubric_after  TEXT NOT NULL,
    at            TEXT NOT NULL
) STRICT;

-- History does not change, whoever has the file open.
CREATE TRIGGER verdict_stays BEFORE UPDATE ON verdict BEGIN SELECT RAISE(ABORT, 'verdicts are only added'); END;
CREATE TRIGGER verdict_is_kept BEFORE DELETE ON verdict BEGIN SELECT RAISE(ABORT, 'verdicts are only added'); END;
CREATE TRIGGER mark_stays BEFORE UPDATE ON mark BEGIN SELECT RAISE(ABORT, 'marks are only added'); END;
CREATE TRIGGER mark_is_kept BEFORE DELETE ON mark BEGIN SELECT RAISE(ABORT, 'marks are only added'); END;
CREATE TRIGGER lock_stays BEFORE UPDATE ON lock BEGIN SELECT RAISE(ABORT, 'a sheet that is done stays done'); END;
CREATE TRIGGER lock_is_kept BEFORE DELETE ON lock BEGIN SELECT RAISE(ABORT, 'a sheet that is done stays done'); END;
CREATE TRIGGER resolution_stays BEFORE UPDATE ON resolution BEGIN SELECT RAISE(ABORT, 'resolutions are only added'); END;
CREATE TRIGGER resolution_is_kept BEFORE DELETE ON resolution BEGIN SELECT RAISE(ABORT, 'resolutions are only added'); END;
