//! Pure statistics over run records: searches, operating points, intervals.
