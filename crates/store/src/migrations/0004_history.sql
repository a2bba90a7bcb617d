-- What people say of what was measured. Nothing here is changed once it is written: what holds no more has a
-- moment at which it was taken back. What is said of a run or a campaign goes with it.
CREATE TABLE label (
    seq     INTEGER PRIMARY KEY,
    kind    TEXT NOT NULL CHECK (kind IN ('run', 'campaign')),
    object  TEXT NOT NULL,          -- id of the run or campaign
    word    TEXT NOT NULL,
    at      TEXT NOT NULL,          -- RFC 3339, UTC
    void_at TEXT
) STRICT;
CREATE UNIQUE INDEX label_by_object ON label (kind, object, word) WHERE void_at IS NULL;

CREATE TABLE note (
    seq     INTEGER PRIMARY KEY,
    kind    TEXT NOT NULL CHECK (kind IN ('run', 'campaign')),
    object  TEXT NOT NULL,
    text    TEXT NOT NULL,
    author  TEXT,
    at      TEXT NOT NULL,
    void_at TEXT
) STRICT;
CREATE INDEX note_by_object ON note (kind, object) WHERE void_at IS NULL;

-- Something that happened around runs: a moment, or a stretch.
CREATE TABLE mark (
    seq      INTEGER PRIMARY KEY,
    from_at  TEXT NOT NULL,         -- RFC 3339, UTC
    until_at TEXT,                  -- absent for a moment
    title    TEXT NOT NULL,
    target   TEXT,                  -- absent where it is about all targets
    source   TEXT,                  -- who or what made it
    at       TEXT NOT NULL,
    void_at  TEXT,
    CHECK (until_at IS NULL OR until_at >= from_at)
) STRICT;

-- The run that others of the same workload on the same target are held against.
CREATE TABLE baseline (
    seq     INTEGER PRIMARY KEY,
    target  TEXT    NOT NULL,
    pattern TEXT    NOT NULL,
    jobs    INTEGER NOT NULL,
    depth   INTEGER NOT NULL,
    tool    TEXT    NOT NULL,
    run     TEXT    NOT NULL,       -- its id
    at      TEXT    NOT NULL,
    void_at TEXT
) STRICT;
CREATE UNIQUE INDEX baseline_by_workload ON baseline (target, pattern, jobs, depth, tool) WHERE void_at IS NULL;
CREATE INDEX baseline_by_run ON baseline (run) WHERE void_at IS NULL;

-- A change of level in a trend that somebody looked at.
CREATE TABLE finding (
    seq      INTEGER PRIMARY KEY,
    target   TEXT    NOT NULL,
    pattern  TEXT    NOT NULL,
    jobs     INTEGER NOT NULL,
    depth    INTEGER NOT NULL,
    tool     TEXT    NOT NULL,
    metric   TEXT    NOT NULL,
    at_run   TEXT    NOT NULL,      -- first run of the new level
    from_run TEXT    NOT NULL,      -- last run of the old one
    effect   REAL    NOT NULL,      -- new over old
    low      REAL    NOT NULL,      -- ends of its 95 % interval
    high     REAL    NOT NULL,
    p_value  REAL    NOT NULL,
    method   TEXT    NOT NULL,
    state    TEXT    NOT NULL CHECK (state IN ('acknowledged')),
    text     TEXT    NOT NULL,      -- why it is as it should be
    author   TEXT,
    at       TEXT    NOT NULL,
    void_at  TEXT
) STRICT;
CREATE UNIQUE INDEX finding_by_run ON finding (target, pattern, jobs, depth, tool, metric, at_run) WHERE void_at IS NULL;

-- A workload's runs on a target, in order of time.
CREATE INDEX run_by_workload ON run (target, pattern, jobs, depth, started_at);
-- Removing a run looks for what refers to it.
CREATE INDEX journal_by_run ON journal (run) WHERE run IS NOT NULL;
CREATE INDEX run_by_environment ON run (environment);
