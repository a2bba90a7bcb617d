-- Files whose results were taken over, by what is in them: the same file is not taken twice.
CREATE TABLE import (
    sha256   TEXT PRIMARY KEY,
    file     TEXT NOT NULL,             -- name without folders, as it was when it was read
    importer TEXT NOT NULL,
    at       TEXT NOT NULL              -- RFC 3339, UTC
) STRICT;

ALTER TABLE run ADD COLUMN tool TEXT NOT NULL DEFAULT 'fathom';
-- Whether the run has any I/O, or only what a machine did: its rates are then no rates of 0.
ALTER TABLE run ADD COLUMN has_io INTEGER NOT NULL DEFAULT 1;
-- Of tools that state it and no service latency.
ALTER TABLE run ADD COLUMN completion_p50_ns INTEGER;
ALTER TABLE run ADD COLUMN completion_p99_ns INTEGER;
