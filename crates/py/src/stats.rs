//! `calibrant.stats`: every statistic of the kernels, arrays in and numbers out.

#![allow(
    clippy::too_many_arguments,
    reason = "a function of Python takes a parameter for each of its keywords"
)]

mod abilities;
mod assembly;
mod attrition;
mod coding;
mod coefficient;
mod flip;
mod icc;
mod irt;
mod measurability;
mod pair;
mod panel;
mod ranking;
mod ratings;
mod responses;
mod result;
mod rounds;
mod score;
mod shared_docs;

use pyo3::prelude::*;

/// The name under which `calibrant/stats.py` finds these functions, and their stubs are.
const NAME: &str = "calibrant._stats";

/// Registers the module of statistics, so that it can be imported like a file of the package.
pub(crate) fn register(parent: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = parent.py();
    let module = PyModule::new(py, NAME)?;
    agreement(&module)?;
    item_response(&module)?;
    judges(&module)?;
    ranks(&module)?;
    scores(&module)?;
    pools(&module)?;
    rounds(&module)?;
    py.import("sys")?.getattr("modules")?.set_item(NAME, &module)?;
    Ok(())
}

macro_rules! functions {
    ($module:ident: $($function:path),* $(,)?) => {
        $($module.add_function(wrap_pyfunction!($function, $module)?)?;)*
    };
}

fn agreement(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ratings::Ratings>()?;
    module.add_class::<coefficient::Coefficient>()?;
    module.add_class::<icc::IntraclassCorrelation>()?;
    functions!(module:
        pair::cohen_kappa, pair::weighted_kappa, pair::scott_pi, pair::weighted_pi, pair::pabak,
        pair::prevalence_index, pair::bias_index, pair::phi,
        panel::percent_agreement, panel::unanimity, panel::fleiss_kappa, panel::gwet_ac1, panel::gwet_ac2,
        panel::brennan_prediger, panel::conger_kappa, panel::krippendorff_alpha,
        icc::icc,
    );
    Ok(())
}

fn item_response(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<irt::IrtFit>()?;
    module.add_class::<irt::ItemErrors>()?;
    module.add_class::<irt::AbilityReplicates>()?;
    module.add_class::<irt::Comparison>()?;
    module.add_class::<responses::ItemRest>()?;
    module.add_class::<abilities::Abilities>()?;
    module.add_class::<assembly::Selection>()?;
    functions!(module:
        irt::fit_irt, irt::compare_fits,
        responses::constant_items, responses::linked_groups, responses::item_rest_correlation,
        abilities::ability_grid, abilities::abilities, abilities::probability, abilities::information,
        assembly::greedy, assembly::plain, assembly::random_bank, assembly::expected_information, assembly::utility,
    );
    Ok(())
}

fn judges(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<measurability::Measurability>()?;
    module.add_class::<measurability::JudgeErrors>()?;
    module.add_class::<measurability::ScoreVariance>()?;
    functions!(module:
        measurability::measurability, measurability::probability_at_least, measurability::fewest_units,
        measurability::wilson_interval, measurability::unanimity_rate, measurability::judge_error,
        measurability::score_variance,
    );
    Ok(())
}

fn ranks(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ranking::Spread>()?;
    functions!(module:
        ranking::ranks, ranking::spearman, ranking::spearman_p_value, ranking::kendall_tau_b, ranking::rank_target,
        ranking::spread, ranking::tiers, ranking::share_separated, ranking::contrast_interval,
        ranking::percentile_interval, ranking::expanded_level,
    );
    Ok(())
}

fn scores(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<score::ScorePlan>()?;
    module.add_class::<score::ResponseResult>()?;
    module.add_class::<score::SystemScores>()?;
    module.add_class::<score::ScoreReplicates>()?;
    functions!(module: score::k_eff);
    Ok(())
}

fn pools(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<attrition::AttritionCurve>()?;
    module.add_class::<attrition::GeometricFit>()?;
    module.add_class::<attrition::BetaFit>()?;
    module.add_class::<attrition::SimulatedPanel>()?;
    functions!(module:
        attrition::attrition_curve, attrition::hard_set, attrition::geometric_fit, attrition::geometric_interval,
        attrition::beta_fit, attrition::simulate,
    );
    Ok(())
}

fn rounds(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<rounds::PairedDifference>()?;
    module.add_class::<rounds::UnpairedDifference>()?;
    module.add_class::<rounds::AgainstGold>()?;
    module.add_class::<rounds::RoundDifference>()?;
    module.add_class::<flip::FlipModel>()?;
    module.add_class::<flip::FlipReading>()?;
    functions!(module:
        rounds::against_gold, rounds::paired_shares, rounds::unpaired_shares, rounds::unpaired_coefficients,
        rounds::paired_rounds, rounds::share_standard_error, rounds::units_for_standard_error,
        rounds::units_for_half_width, rounds::units_factor, rounds::units_to_see_difference,
        flip::read_flips, flip::kappa_with_flips_of,
    );
    Ok(())
}
