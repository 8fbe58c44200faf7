//! HTTP doors over a rubric project: the page on which people judge.
