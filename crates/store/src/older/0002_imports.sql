CREATE TEMP VIEW run AS
    SELECT *, 'fathom' AS tool, 1 AS has_io, NULL AS completion_p50_ns, NULL AS completion_p99_ns FROM main.run;
CREATE TEMP TABLE import (sha256 TEXT, file TEXT, importer TEXT, at TEXT);
