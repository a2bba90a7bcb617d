CREATE TEMP TABLE label (seq INTEGER, kind TEXT, object TEXT, word TEXT, at TEXT, void_at TEXT);
CREATE TEMP TABLE note (seq INTEGER, kind TEXT, object TEXT, text TEXT, author TEXT, at TEXT, void_at TEXT);
CREATE TEMP TABLE mark (
    seq INTEGER, from_at TEXT, until_at TEXT, title TEXT, target TEXT, source TEXT, at TEXT, void_at TEXT
);
CREATE TEMP TABLE baseline (
    seq INTEGER, target TEXT, pattern TEXT, jobs INTEGER, depth INTEGER, tool TEXT, run TEXT, at TEXT, void_at TEXT
);
CREATE TEMP TABLE finding (
    seq INTEGER, target TEXT, pattern TEXT, jobs INTEGER, depth INTEGER, tool TEXT, metric TEXT, at_run TEXT,
    from_run TEXT, effect REAL, low REAL, high REAL, p_value REAL, method TEXT, state TEXT, text TEXT, author TEXT,
    at TEXT, void_at TEXT
);
