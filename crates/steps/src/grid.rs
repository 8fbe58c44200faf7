//! The ability grid of an artifact, in the words of the kernel.

use calibrant_schema::fit::GridRow;
use calibrant_stats::irt::{self, Ability, Grid, Items, Responses};

use crate::calibrate::statistics;
use crate::error::StepError;

/// A finer grid than any fit needs; more would only fill the memory.
const MOST_NODES: usize = 1_000_001;

/// The grid a fit was made on.
pub(crate) fn grid_of(row: &GridRow) -> Result<Grid, StepError> {
    if row.nodes > MOST_NODES {
        return Err(StepError::Option {
            option: "grid.nodes",
            value: row.nodes.to_string(),
            range: "at most 1,000,001",
        });
    }
    Grid::standard_normal(row.nodes, row.low, row.high).map_err(statistics)
}

/// The grid that information is integrated on: it is smooth in ability, and a grid refined for posteriors would only cost memory.
pub(crate) fn information_grid(row: &GridRow) -> Result<Grid, StepError> {
    if row.refined {
        let source = Grid::default().nodes().len();
        Grid::standard_normal(source, row.low, row.high).map_err(statistics)
    } else {
        grid_of(row)
    }
}

/// Abilities under known parameters: on exactly the nodes of a fixed grid, on that or a finer one where the grid was refined.
pub(crate) fn abilities(responses: &Responses, items: &Items, row: &GridRow) -> Result<Vec<Ability>, StepError> {
    if row.refined {
        irt::refined_abilities(responses, items, &grid_of(row)?, None).map_err(statistics)
    } else {
        irt::abilities(responses, items, &grid_of(row)?, None).map_err(statistics)
    }
}
