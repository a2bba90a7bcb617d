//! Turns records and verdicts into terminal text, HTML and Markdown.
