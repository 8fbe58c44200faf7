//! Gold labels: what trusted people settled on.

use crate::findings::Findings;
use crate::stored::Source;
use crate::tables::judgement::Shape;
use crate::tables::reading::read_shaped;
use crate::tables::role::Role;
use crate::tables::verdicts::{ReadOptions, ReadVerdicts};

/// The judge of all gold labels.
pub const GOLD: &str = "gold";

/// The system of gold labels that name none: the label is the same whatever answered.
pub const ANY_SYSTEM: &str = "*";

const GOLD_LABELS: Shape = Shape {
    required: &[Role::Query, Role::Criterion, Role::Label],
    system: Some(ANY_SYSTEM),
    judge: Some(GOLD),
};

/// Reads a table of gold labels: like verdicts, with query, criterion and label at least.
///
/// All rows come back under the judge [`GOLD`], whatever a judge column says; without a system column under the system [`ANY_SYSTEM`].
/// `options.judges` must be `None`.
///
/// # Errors
/// As [`crate::tables::read_verdicts`]; a cell with two gold labels is a mistake.
pub fn read_gold(source: Source, options: &ReadOptions) -> Result<ReadVerdicts, Findings> {
    read_shaped(vec![source], options, &GOLD_LABELS)
}
