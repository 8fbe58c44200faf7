//! Parameters that many functions have, described once.

/// Labels of a panel.
macro_rules! panel_ratings {
    () => {
        "Parameters\n----------\nratings : array_like of shape (units, judges), or Ratings\n    Labels; NaN is a missing one, and 255 in ``uint8`` arrays. See :mod:`calibrant.stats`.\n"
    };
}

/// Labels of two judges.
macro_rules! pair_ratings {
    () => {
        "Parameters\n----------\nratings : array_like of shape (units, 2) or (units,), or Ratings\n    Labels of both judges, or of the first; NaN is a missing one, and 255 in ``uint8`` arrays.\nother : array_like of shape (units,), optional\n    Labels of the second judge. Units that either left out do not count.\n"
    };
}

/// The levels of the scale.
macro_rules! levels {
    () => {
        "levels : array_like, optional\n    The levels of the scale, ascending; without them, those that occur.\n"
    };
}

/// Agreement weights.
macro_rules! weights {
    () => {
        "weights : {\"identity\", \"linear\", \"quadratic\"} or array_like of shape (levels, levels)\n    How much two levels agree: 1 on the diagonal, symmetric, in [0, 1]. The words count steps between levels, not their values.\n"
    };
}

/// How an interval is made.
macro_rules! interval {
    () => {
        "interval : {\"analytic\", \"bootstrap\"} or None\n    How the standard error and the interval are made: from the large-sample formula, by drawing units with replacement, or\n    not at all. Units must be independent.\nlevel : float\n    The level of the interval, in (0, 1).\nreplicates, seed : int\n    Of the bootstrap.\n\nReturns\n-------\nCoefficient\n    ``float(result)`` is its value.\n"
    };
}

/// What goes wrong with labels.
macro_rules! raises {
    () => {
        "Raises\n------\nArgumentError\n    If the labels have another shape, or a keyword is out of its range.\nUndefinedError\n    "
    };
}

pub(crate) use {interval, levels, pair_ratings, panel_ratings, raises, weights};
