//! Artifacts to HTML, Markdown and terminal text; estimates nothing.
//!
//! [`html`] and [`markdown`] print one and the same document, so the two never disagree. What reaches a document is a
//! text whose hidden characters were made visible; escaping happens once, in the printer that knows its target. Figures
//! are drawn in the page and written as specifications by [`vega_lite`] from one scene.

mod agreement;
mod cards;
mod charts;
mod document;
mod figure;
mod findings;
mod html;
mod inputs;
mod markdown;
mod number;
mod page;
pub mod review;
mod sections;
pub mod sheet;
mod terminal;
mod text;

pub use agreement::{AgreementInputs, agreement_html, agreement_markdown};
pub use cards::{
    agreement_card, bank_card, blocks_card, calibration_card, disagreements_card, fit_card, roll_ups_card, run_card,
    scores_card,
};
pub use charts::{Chart, vega_lite};
pub use figure::ITEM_CURVES;
pub use findings::{Reported, Rule, github, sarif};
pub use html::html;
pub use inputs::{Figures, Inputs, ItemResponses, KnownAbility, PartOf, SystemResponses, Truth};
pub use markdown::markdown;
pub use sections::weight_of;
pub use terminal::{
    Looked, Style, agreement_text, bank_text, blocks_text, calibration_text, disagreement_text, disagreements_text,
    fit_text, history_text, leaderboard_text, roll_ups_text, short_name, warnings_text,
};
