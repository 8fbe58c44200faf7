//! What the observations of one response add up to: its sums, and the passes and failures its rules count.

use super::{Observation, Outcome, PlanItem, RollUp, WhenNotApplicable, meets};
use crate::Undefined;

/// Sums over the items of one response.
#[derive(Default)]
pub(super) struct Tally {
    items: usize,
    known: usize,
    skipped: usize,
    sum: f64,
    positive: f64,
    all: Count,
    mandatory: Count,
    gates: Count,
    gates_failed: Vec<usize>,
}

impl Tally {
    pub(super) fn add(&mut self, position: usize, item: &PlanItem, observation: Observation) {
        if item.monitored {
            return;
        }
        let resolved = item.resolve(observation);
        self.items += 1;
        self.known += usize::from(observation != Observation::Missing);
        let passes = match resolved {
            Resolved::Skipped => {
                self.skipped += 1;
                None
            }
            Resolved::Unknown => None,
            Resolved::Value(value) => {
                self.sum += item.weight * value;
                self.positive += item.weight.max(0.0);
                Some(item.passes(value))
            }
        };
        self.all.add(resolved, passes);
        if item.mandatory {
            self.mandatory.add(resolved, passes);
        }
        if item.gate {
            self.gates.add(resolved, passes);
            if passes == Some(false) {
                self.gates_failed.push(position);
            }
        }
    }

    pub(super) fn score(&self) -> Result<f64, Undefined> {
        if self.positive > 0.0 {
            return Ok(self.sum / self.positive);
        }
        Err(if self.items > 0 && self.skipped == self.items {
            Undefined::NothingApplies
        } else if self.items > 0 && self.known == 0 {
            Undefined::NoLabels
        } else {
            Undefined::NoPositiveWeight
        })
    }

    pub(super) fn coverage(&self) -> f64 {
        if self.items == 0 {
            return 0.0;
        }
        self.known as f64 / self.items as f64
    }

    /// The outcome of the gates, apart from any rule.
    pub(super) fn gates(&self) -> Outcome {
        self.gates.all()
    }

    pub(super) fn into_gates_failed(self) -> Vec<usize> {
        self.gates_failed
    }

    pub(super) fn outcome(&self, roll_up: RollUp) -> Outcome {
        if roll_up == RollUp::Weighted {
            return Outcome::NoRule;
        }
        // A response to which nothing applies meets no rule and breaks none.
        if self.all.applying() == 0 {
            return if self.items == 0 {
                Outcome::NoRule
            } else {
                Outcome::Undetermined
            };
        }
        match roll_up {
            RollUp::All => self.all.all(),
            RollUp::AtLeast(least) => self.all.at_least(least),
            RollUp::Mandatory => self.mandatory.all(),
            RollUp::Weighted => Outcome::NoRule,
        }
    }
}

/// Passes, failures and missing labels of a set of criteria.
#[derive(Default)]
struct Count {
    members: u32,
    passed: u32,
    failed: u32,
    unknown: u32,
}

impl Count {
    fn add(&mut self, resolved: Resolved, passes: Option<bool>) {
        self.members += 1;
        match (resolved, passes) {
            (Resolved::Unknown, _) => self.unknown += 1,
            (_, Some(true)) => self.passed += 1,
            (_, Some(false)) => self.failed += 1,
            (_, None) => {}
        }
    }

    fn applying(&self) -> u32 {
        self.passed + self.failed + self.unknown
    }

    /// Criteria that do not apply demand nothing, so a set of them alone passes.
    fn all(&self) -> Outcome {
        if self.members == 0 {
            Outcome::NoRule
        } else if self.failed > 0 {
            Outcome::Fail
        } else if self.unknown > 0 {
            Outcome::Undetermined
        } else {
            Outcome::Pass
        }
    }

    /// Demands no more than all that apply: otherwise a response could pass all of its criteria and fail the looser rule.
    fn at_least(&self, least: u32) -> Outcome {
        let need = least.min(self.applying());
        if self.passed >= need {
            Outcome::Pass
        } else if self.passed + self.unknown < need {
            Outcome::Fail
        } else {
            Outcome::Undetermined
        }
    }
}

#[derive(Clone, Copy)]
enum Resolved {
    Value(f64),
    Skipped,
    Unknown,
}

impl PlanItem {
    /// The value that an item which does not apply counts as, or none if it is skipped.
    fn value_when_not_applicable(&self) -> Option<f64> {
        let met = match self.when_not_applicable {
            WhenNotApplicable::Skip => return None,
            WhenNotApplicable::Pass => self.weight >= 0.0,
            WhenNotApplicable::Fail => self.weight < 0.0,
        };
        Some(if met { 1.0 } else { 0.0 })
    }

    fn resolve(&self, observation: Observation) -> Resolved {
        match observation {
            Observation::Missing => Resolved::Unknown,
            Observation::Value(value) => Resolved::Value(value),
            Observation::NotApplicable => self
                .value_when_not_applicable()
                .map_or(Resolved::Skipped, Resolved::Value),
        }
    }

    fn passes(&self, value: f64) -> bool {
        meets(value) == (self.weight >= 0.0)
    }
}
