-- The machine around a run, once for all runs that found it the same.
CREATE TABLE environment (
    seq  INTEGER PRIMARY KEY,
    crc  INTEGER NOT NULL,          -- CRC32C of json: finds equal ones, shows damage
    json TEXT    NOT NULL
) STRICT;
CREATE INDEX environment_by_crc ON environment (crc);

-- One row a run, with what a list shows; narrow, so that listing touches few pages.
CREATE TABLE run (
    seq                     INTEGER PRIMARY KEY,
    id                      TEXT    NOT NULL UNIQUE,
    started_at              TEXT    NOT NULL,  -- RFC 3339, UTC
    target                  TEXT    NOT NULL,
    device                  TEXT,
    pattern                 TEXT    NOT NULL,
    jobs                    INTEGER NOT NULL,
    depth                   INTEGER NOT NULL,
    operations_per_s        REAL    NOT NULL,
    throughput_bytes_per_s  REAL    NOT NULL,
    service_p50_ns          INTEGER,
    service_p99_ns          INTEGER,
    response_p50_ns         INTEGER,
    response_p99_ns         INTEGER,
    valid                   INTEGER NOT NULL,
    ending                  TEXT    NOT NULL,
    campaign                TEXT,
    step                    TEXT,
    environment             INTEGER NOT NULL REFERENCES environment (seq)
) STRICT;
CREATE INDEX run_by_time ON run (started_at, id);
CREATE INDEX run_by_target ON run (target, started_at, id);
CREATE INDEX run_by_campaign ON run (campaign, started_at, id) WHERE campaign IS NOT NULL;

-- The record as JSON, without its environment and with empty series.
CREATE TABLE run_header (
    run  INTEGER PRIMARY KEY REFERENCES run (seq),
    crc  INTEGER NOT NULL,
    json TEXT    NOT NULL
) STRICT;

-- The series in binary pieces, each in its own envelope.
CREATE TABLE run_series (
    run   INTEGER NOT NULL REFERENCES run (seq),
    kind  INTEGER NOT NULL,         -- 1 intervals, 2 telemetry
    piece INTEGER NOT NULL,         -- from 0
    data  BLOB    NOT NULL,
    UNIQUE (run, kind, piece)
) STRICT;

CREATE TABLE campaign (
    seq         INTEGER PRIMARY KEY,
    id          TEXT    NOT NULL UNIQUE,
    key         TEXT    NOT NULL,   -- of plan and target identity: the same command finds it again
    target      TEXT    NOT NULL,
    started_at  TEXT    NOT NULL,
    closed_at   TEXT,               -- when it was finished or given up
    given_up    INTEGER NOT NULL DEFAULT 0,
    plan_crc    INTEGER NOT NULL,
    plan        TEXT    NOT NULL,
    record_crc  INTEGER,
    record      TEXT
) STRICT;
CREATE UNIQUE INDEX campaign_open_by_key ON campaign (key) WHERE closed_at IS NULL;
CREATE INDEX campaign_by_time ON campaign (started_at, id);

-- What happened to each step, in order; the last entry of a step says how it stands.
CREATE TABLE journal (
    seq      INTEGER PRIMARY KEY,
    campaign INTEGER NOT NULL REFERENCES campaign (seq),
    step     TEXT    NOT NULL,
    state    TEXT    NOT NULL CHECK (state IN ('started', 'done', 'failed')),
    run      INTEGER REFERENCES run (seq),
    reason   TEXT,
    at       TEXT    NOT NULL,      -- RFC 3339, UTC
    CHECK ((state = 'done') = (run IS NOT NULL)),
    CHECK ((state = 'failed') = (reason IS NOT NULL))
) STRICT;
CREATE INDEX journal_by_step ON journal (campaign, step, seq);
