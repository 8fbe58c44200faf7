//! The page of `agree`: agreement per criterion and over whole answers, why kappas are low, what changed, what it is not.

pub(crate) mod criteria;
mod other_evidence;
pub(crate) mod rounds;

use calibrant_schema::agreement::{Coefficient, CoefficientRow, Scope};
use calibrant_schema::{Agreement, Rubric};

use crate::document::{Block, Cell, Document, Form, Section, Table};
use crate::inputs::Figures;
use crate::number::{count, decimal, percent, typeset};
use crate::sections::{doubts_of, of_headers};
use crate::text::Text;
use crate::{html, markdown};

/// The file that holds every row.
const FILE: &str = "agreement.json";

/// What the pages of `agree` are made from.
#[derive(Clone, Copy, Debug)]
pub struct AgreementInputs<'a> {
    /// The rubric's or project's name.
    pub title: &'a str,
    /// The artifact.
    pub agreement: &'a Agreement,
    /// The text of the criteria.
    pub rubric: Option<&'a Rubric>,
    /// The command line that made it.
    pub command: Option<&'a str>,
    /// Whether there are figures.
    pub figures: Figures,
}

/// The agreement as a page that opens from disk, in the look of the report: one file without script or network.
///
/// The same inputs give the same bytes.
#[must_use]
pub fn agreement_html(inputs: &AgreementInputs<'_>) -> String {
    html::print(&document(inputs))
}

/// The agreement as Markdown, with the same content as [`agreement_html`].
#[must_use]
pub fn agreement_markdown(inputs: &AgreementInputs<'_>) -> String {
    markdown::print(&document(inputs))
}

fn document(inputs: &AgreementInputs<'_>) -> Document {
    let agreement = inputs.agreement;
    let compared = agreement.judges.len() > 1;
    let header = [("agreement", &agreement.header)];
    let sections = [
        doubts_of(&header),
        agreement.rounds.as_ref().map(rounds::section_of),
        compared.then(|| criteria::section_of(inputs)),
        compared.then(|| criteria::whole_answers(agreement)),
        (!agreement.readings.is_empty()).then(|| criteria::readings(inputs)),
        (!agreement.pairs.is_empty()).then(|| criteria::pairs(agreement)),
        Some(criteria::prevalence(agreement)),
        (!agreement.sizes.is_empty()).then(|| criteria::sizes(agreement)),
        Some(other_evidence::section_of(agreement)),
        Some(other_evidence::counted(agreement)),
        Some(of_headers(&header, inputs.command, &[FILE])),
    ];
    Document {
        title: Text::prose(&format!("{}: agreement of judges", inputs.title)),
        lead: lead(agreement),
        sections: sections.into_iter().flatten().collect(),
    }
}

/// The result in plain words: whole answers, and the criterion with the least agreement beyond chance.
pub(crate) fn lead(agreement: &Agreement) -> Vec<Text> {
    let mut lead = Vec::new();
    let precision = &agreement.precision;
    lead.push(match precision.agreement.and_then(percent) {
        Some(share) => format!(
            "{} judges agree on {share} of {} whole answers; an answer counts when all its criteria are alike.",
            agreement.judges.len(),
            count(usize::try_from(precision.responses).unwrap_or(usize::MAX))
        ),
        None => "Whole answers cannot be compared: the table below says why.".to_owned(),
    });
    let known = agreement.criteria.iter().filter_map(|row| {
        let figure = agreement.beyond_chance(Scope::Criterion, Some(&row.criterion))?;
        Some((figure.value?, figure))
    });
    if let Some((value, row)) = known.min_by(|x, y| x.0.total_cmp(&y.0)) {
        lead.push(format!(
            "Least agreement beyond chance: {}, {} {}.",
            row.criterion.as_deref().unwrap_or_default(),
            row.coefficient.name(),
            decimal(value, 2).as_deref().map(typeset).unwrap_or_default()
        ));
    }
    lead.iter().map(|sentence| Text::prose(sentence)).collect()
}

/// A figure of agreement as a cell: its value with its interval, or a dash with the reason.
fn cell(table: &mut Table, row: Option<&CoefficientRow>, coefficient: Coefficient) -> Cell {
    let form = match coefficient.is_share() {
        true => Form::Percent,
        false => Form::Decimal(3),
    };
    let Some(row) = row else {
        return Cell::Words(Text::prose(""));
    };
    if row.value.is_some() && row.low.is_none() && coefficient == Coefficient::ChanceAgreement {
        return table.number(row.value, form, None);
    }
    table.with_interval(row.value, (row.low, row.high), form, row.undefined.as_ref())
}

fn paragraph(text: &str) -> Block {
    Block::Paragraph(Text::prose(text))
}

fn section(id: &'static str, title: &'static str, blocks: Vec<Block>) -> Section {
    Section { id, title, blocks }
}
