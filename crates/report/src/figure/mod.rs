//! Figures: a small scene of marks over axes, drawn as SVG, written as a Vega-Lite specification, with a table behind it.

mod attrition;
mod axis;
mod canvas;
mod coverage;
mod curves;
mod histogram;
mod item_curves;
mod item_information;
mod labels;
mod leaderboard;
mod marks;
mod measurability;
mod prevalence;
mod scene;
mod svg;
mod sweep;
mod test_information;
mod vega;
mod wright_map;

pub(crate) use attrition::attrition;
pub(crate) use coverage::coverage;
pub use item_curves::ITEM_CURVES;
pub(crate) use item_curves::item_curves;
pub(crate) use item_information::item_information;
pub(crate) use leaderboard::leaderboard;
pub(crate) use measurability::measurability;
pub(crate) use prevalence::prevalence;
pub(crate) use scene::{Figure, InText, Layout};
pub(crate) use sweep::sweep;
pub(crate) use test_information::test_information;
pub(crate) use vega::specification;
pub(crate) use wright_map::wright_map;
