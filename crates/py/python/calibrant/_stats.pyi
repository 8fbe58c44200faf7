"""Types of the native statistics; what each does is documented where it is defined, see ``help(calibrant.stats)``."""

from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "Abilities",
    "AbilityReplicates",
    "AgainstGold",
    "AttritionCurve",
    "BetaFit",
    "Coefficient",
    "Comparison",
    "FlipModel",
    "FlipReading",
    "GeometricFit",
    "IntraclassCorrelation",
    "IrtFit",
    "ItemErrors",
    "ItemRest",
    "JudgeErrors",
    "Measurability",
    "PairedDifference",
    "Ratings",
    "ResponseResult",
    "RoundDifference",
    "ScorePlan",
    "ScoreReplicates",
    "ScoreVariance",
    "Selection",
    "SimulatedPanel",
    "Spread",
    "SystemScores",
    "UnpairedDifference",
    "abilities",
    "ability_grid",
    "against_gold",
    "attrition_curve",
    "beta_fit",
    "bias_index",
    "brennan_prediger",
    "cohen_kappa",
    "compare_fits",
    "conger_kappa",
    "constant_items",
    "contrast_interval",
    "expanded_level",
    "expected_information",
    "fewest_units",
    "fit_irt",
    "fleiss_kappa",
    "geometric_fit",
    "geometric_interval",
    "greedy",
    "gwet_ac1",
    "gwet_ac2",
    "hard_set",
    "icc",
    "information",
    "item_rest_correlation",
    "judge_error",
    "k_eff",
    "kappa_with_flips_of",
    "kendall_tau_b",
    "krippendorff_alpha",
    "linked_groups",
    "measurability",
    "pabak",
    "paired_rounds",
    "paired_shares",
    "percent_agreement",
    "percentile_interval",
    "phi",
    "plain",
    "prevalence_index",
    "probability",
    "probability_at_least",
    "random_bank",
    "rank_target",
    "ranks",
    "read_flips",
    "score_variance",
    "scott_pi",
    "share_separated",
    "share_standard_error",
    "simulate",
    "spearman",
    "spearman_p_value",
    "spread",
    "tiers",
    "unanimity",
    "unanimity_rate",
    "units_factor",
    "units_for_half_width",
    "units_for_standard_error",
    "units_to_see_difference",
    "unpaired_coefficients",
    "unpaired_shares",
    "utility",
    "weighted_kappa",
    "weighted_pi",
    "wilson_interval",
]

@final
class Abilities:
    @property
    def mean(self) -> npt.NDArray[np.float64]: ...
    @property
    def standard_error(self) -> npt.NDArray[np.float64]: ...
    @property
    def edge_mass(self) -> npt.NDArray[np.float64]: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class AbilityReplicates:
    @property
    def pool(self) -> npt.NDArray[np.float64]: ...
    @property
    def bank(self) -> npt.NDArray[np.float64] | None: ...
    @property
    def unconverged(self) -> int: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class AgainstGold:
    @property
    def sensitivity(self) -> float | None: ...
    @property
    def sensitivity_interval(self) -> tuple[float, float] | None: ...
    @property
    def specificity(self) -> float | None: ...
    @property
    def specificity_interval(self) -> tuple[float, float] | None: ...
    @property
    def leniency(self) -> PairedDifference: ...
    @property
    def reasons(self) -> dict[str, str]: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class AttritionCurve:
    @property
    def systems(self) -> npt.NDArray[np.int64]: ...
    @property
    def items(self) -> npt.NDArray[np.int64]: ...
    @property
    def retention(self) -> npt.NDArray[np.float64]: ...
    @property
    def distinguishability(self) -> npt.NDArray[np.float64]: ...
    @property
    def joint(self) -> npt.NDArray[np.float64]: ...
    @property
    def rate(self) -> npt.NDArray[np.float64]: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class BetaFit:
    def __new__(
        cls,
        a: float,
        b: float,
        retention: npt.ArrayLike | None = None,
        systems: npt.ArrayLike | None = None,
    ) -> BetaFit: ...
    @property
    def a(self) -> float: ...
    @property
    def b(self) -> float: ...
    @property
    def rmse(self) -> float: ...
    def retention(self, systems: int) -> float: ...

@final
class Coefficient:
    @property
    def value(self) -> float: ...
    @property
    def standard_error(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def level(self) -> float: ...
    @property
    def method(self) -> str | None: ...
    @property
    def observed(self) -> float | None: ...
    @property
    def expected(self) -> float | None: ...
    @property
    def units(self) -> int: ...
    @property
    def null_standard_error(self) -> float | None: ...
    @property
    def replicates(self) -> npt.NDArray[np.float64] | None: ...
    @property
    def reasons(self) -> dict[str, str]: ...
    def __float__(self) -> float: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class Comparison:
    @property
    def gain(self) -> float: ...
    @property
    def extra_parameters(self) -> int: ...
    @property
    def gain_per_parameter(self) -> float | None: ...
    @property
    def aic(self) -> tuple[float, float]: ...
    @property
    def bic_cells(self) -> tuple[float, float]: ...
    @property
    def bic_systems(self) -> tuple[float, float]: ...
    @property
    def aic_threshold(self) -> float: ...
    @property
    def bic_cells_threshold(self) -> float: ...
    @property
    def bic_systems_threshold(self) -> float: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class FlipModel:
    def __new__(cls, flip: float) -> FlipModel: ...
    @property
    def flip(self) -> float: ...
    @property
    def agreement(self) -> float: ...
    @staticmethod
    def from_agreement(observed: float) -> FlipModel: ...
    def passes(self, prevalence: float) -> float: ...
    def prevalence(self, passes: float) -> float: ...
    def kappa(self, prevalence: float) -> float: ...
    def kappa_curve(self, prevalences: npt.ArrayLike) -> float | npt.NDArray[np.float64]: ...

@final
class FlipReading:
    @property
    def model(self) -> FlipModel: ...
    @property
    def passes(self) -> float: ...
    @property
    def prevalence(self) -> float | None: ...
    @property
    def kappa_at_half(self) -> float: ...
    @property
    def reason(self) -> str | None: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class GeometricFit:
    @property
    def rho(self) -> float: ...
    @property
    def r_squared(self) -> float | None: ...
    @property
    def rmse(self) -> float: ...
    @property
    def points(self) -> int: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class IntraclassCorrelation:
    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def level(self) -> float: ...
    @property
    def f(self) -> float: ...
    @property
    def p_value(self) -> float: ...
    @property
    def form(self) -> str: ...
    @property
    def units(self) -> int: ...
    @property
    def incomplete(self) -> int: ...
    @property
    def judges(self) -> int: ...
    @property
    def between_units(self) -> float: ...
    @property
    def between_judges(self) -> float: ...
    @property
    def within_units(self) -> float: ...
    @property
    def residual(self) -> float: ...
    @property
    def reasons(self) -> dict[str, str]: ...
    def __float__(self) -> float: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class IrtFit:
    @property
    def discrimination(self) -> npt.NDArray[np.float64]: ...
    @property
    def difficulty(self) -> npt.NDArray[np.float64]: ...
    @property
    def log_posterior(self) -> float: ...
    @property
    def log_likelihood(self) -> float: ...
    @property
    def parameters(self) -> int: ...
    @property
    def converged(self) -> bool: ...
    @property
    def stopped(self) -> str: ...
    @property
    def iterations(self) -> int: ...
    @property
    def gradient_max(self) -> float: ...
    @property
    def model(self) -> str: ...
    @property
    def nodes(self) -> npt.NDArray[np.float64]: ...
    @property
    def node_weights(self) -> npt.NDArray[np.float64]: ...
    def abilities(self) -> Abilities: ...
    def standard_errors(self) -> ItemErrors: ...
    def bootstrap(
        self,
        clusters: npt.ArrayLike | None = None,
        *,
        method: Literal["influence", "cluster", "parametric", "posterior", "source"] = "influence",
        bank: npt.ArrayLike | None = None,
        replicates: int = 300,
        seed: int = 0,
        gradient_tolerance: float = 0.0001,
    ) -> AbilityReplicates: ...

@final
class ItemErrors:
    @property
    def log_discrimination(self) -> npt.NDArray[np.float64]: ...
    @property
    def discrimination(self) -> npt.NDArray[np.float64]: ...
    @property
    def difficulty(self) -> npt.NDArray[np.float64]: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class ItemRest:
    @property
    def correlation(self) -> npt.NDArray[np.float64]: ...
    @property
    def reasons(self) -> list[str | None]: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class JudgeErrors:
    def __new__(cls, sensitivity: float, specificity: float) -> JudgeErrors: ...
    @property
    def sensitivity(self) -> float: ...
    @property
    def specificity(self) -> float: ...
    @property
    def kept_share(self) -> float: ...
    def observed_rate(self, rate: float) -> float: ...
    def true_rate(self, observed: float) -> tuple[float, bool]: ...

@final
class Measurability:
    @property
    def mean(self) -> float | npt.NDArray[np.float64]: ...
    @property
    def low(self) -> float | npt.NDArray[np.float64]: ...
    @property
    def high(self) -> float | npt.NDArray[np.float64]: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class PairedDifference:
    @property
    def difference(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def exact_p_value(self) -> float: ...
    @property
    def mid_p_value(self) -> float: ...
    def __float__(self) -> float: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class Ratings:
    def __new__(
        cls,
        ratings: npt.ArrayLike,
        other: npt.ArrayLike | None = None,
        *,
        levels: npt.ArrayLike | None = None,
    ) -> Ratings: ...
    @property
    def units(self) -> int: ...
    @property
    def judges(self) -> int: ...
    @property
    def levels(self) -> npt.NDArray[np.float64]: ...
    @staticmethod
    def from_counts(counts: npt.ArrayLike, *, levels: npt.ArrayLike | None = None) -> Ratings: ...
    @staticmethod
    def from_table(table: npt.ArrayLike, *, levels: npt.ArrayLike | None = None) -> Ratings: ...
    def table(self, a: int = 0, b: int = 1) -> npt.NDArray[np.int64]: ...
    def prevalence(self, judge: int) -> npt.NDArray[np.float64]: ...

@final
class ResponseResult:
    @property
    def score(self) -> float | None: ...
    @property
    def outcome(self) -> str: ...
    @property
    def all_passed(self) -> str: ...
    @property
    def gates(self) -> str: ...
    @property
    def gates_failed(self) -> list[int]: ...
    @property
    def coverage(self) -> float: ...
    @property
    def reason(self) -> str | None: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class RoundDifference:
    @property
    def difference(self) -> float: ...
    @property
    def standard_error(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def level(self) -> float: ...
    @property
    def replicates(self) -> npt.NDArray[np.float64]: ...
    def __float__(self) -> float: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class ScorePlan:
    def __new__(
        cls,
        weights: npt.ArrayLike,
        queries: npt.ArrayLike | None = None,
        query_weights: npt.ArrayLike | None = None,
        *,
        gates: npt.ArrayLike | None = None,
        mandatory: npt.ArrayLike | None = None,
        monitored: npt.ArrayLike | None = None,
        not_applicable: Literal["skip", "pass", "fail"] = "skip",
        roll_up: Literal["weighted", "all", "mandatory"] | int | None = None,
        clip: Literal["mean", "example", "none"] = "mean",
    ) -> ScorePlan: ...
    @property
    def queries(self) -> int: ...
    @property
    def items(self) -> int: ...
    def response(
        self,
        query: int,
        values: npt.ArrayLike,
        *,
        not_applicable: npt.ArrayLike | None = None,
    ) -> ResponseResult: ...
    def query_scores(
        self,
        values: npt.ArrayLike,
        *,
        not_applicable: npt.ArrayLike | None = None,
    ) -> npt.NDArray[np.float64]: ...
    def systems(self, query_scores: npt.ArrayLike) -> SystemScores: ...
    def bootstrap(
        self,
        query_scores: npt.ArrayLike,
        clusters: npt.ArrayLike | None = None,
        *,
        replicates: int = 2000,
        seed: int = 0,
    ) -> ScoreReplicates: ...

@final
class ScoreReplicates:
    @property
    def values(self) -> npt.NDArray[np.float64]: ...
    def interval(self, system: int, *, level: float = 0.95) -> tuple[float, float]: ...
    def difference(self, i: int, j: int, *, level: float = 0.95) -> tuple[float, float]: ...

@final
class ScoreVariance:
    @property
    def responses(self) -> float: ...
    @property
    def judges(self) -> float: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class Selection:
    @property
    def order(self) -> npt.NDArray[np.int64]: ...
    @property
    def gains(self) -> npt.NDArray[np.float64]: ...
    @property
    def utility(self) -> float: ...
    @property
    def total_utility(self) -> float: ...
    @property
    def optimum_bound(self) -> float: ...
    @property
    def bound_prefix(self) -> int: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class SimulatedPanel:
    @property
    def abilities(self) -> npt.NDArray[np.float64]: ...
    @property
    def discrimination(self) -> npt.NDArray[np.float64]: ...
    @property
    def difficulty(self) -> npt.NDArray[np.float64]: ...
    @property
    def judge_error(self) -> npt.NDArray[np.float64]: ...
    @property
    def query(self) -> npt.NDArray[np.int64]: ...
    @property
    def leniency(self) -> npt.NDArray[np.float64]: ...
    @property
    def truth(self) -> npt.NDArray[np.uint8]: ...
    @property
    def labels(self) -> npt.NDArray[np.uint8]: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class Spread:
    @property
    def mean(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def interquartile_range(self) -> float: ...
    @property
    def standard_deviation(self) -> float: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class SystemScores:
    @property
    def score(self) -> npt.NDArray[np.float64]: ...
    @property
    def coverage(self) -> npt.NDArray[np.float64]: ...
    @property
    def queries_scored(self) -> npt.NDArray[np.int64]: ...
    @property
    def reasons(self) -> list[str | None]: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

@final
class UnpairedDifference:
    @property
    def difference(self) -> float: ...
    @property
    def standard_error(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def z(self) -> float | None: ...
    @property
    def p_value(self) -> float | None: ...
    def __float__(self) -> float: ...
    def _asdict(self) -> dict[str, Any]: ...
    def _repr_html_(self) -> str: ...

def abilities(
    responses: npt.ArrayLike,
    discrimination: npt.ArrayLike,
    difficulty: npt.ArrayLike,
    *,
    trials: npt.ArrayLike | None = None,
    item_weights: npt.ArrayLike | None = None,
    grid: Literal["refined", "fixed"] = "refined",
    nodes: int = 41,
    reach: float = 4.0,
) -> Abilities: ...
def ability_grid(
    nodes: int = 41,
    reach: float = 4.0,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
def against_gold(labels: npt.ArrayLike, gold: npt.ArrayLike) -> AgainstGold: ...
def attrition_curve(
    systems: npt.ArrayLike,
    unanimous_pass: npt.ArrayLike,
    unanimous_fail: npt.ArrayLike,
    majority_pass: npt.ArrayLike,
) -> AttritionCurve: ...
def beta_fit(
    systems: npt.ArrayLike,
    unanimous_pass: npt.ArrayLike,
    unanimous_fail: npt.ArrayLike,
    majority_pass: npt.ArrayLike,
    *,
    moments: Literal["factorial", "raw"] = "factorial",
) -> BetaFit: ...
def bias_index(
    ratings: npt.ArrayLike | Ratings,
    other: npt.ArrayLike | None = None,
    *,
    levels: npt.ArrayLike | None = None,
) -> float: ...
def brennan_prediger(
    ratings: npt.ArrayLike | Ratings,
    *,
    weights: Literal["identity", "linear", "quadratic"] | npt.ArrayLike | None = None,
    levels: npt.ArrayLike | None = None,
    interval: Literal["analytic", "bootstrap"] | None = "analytic",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Coefficient: ...
def cohen_kappa(
    ratings: npt.ArrayLike | Ratings,
    other: npt.ArrayLike | None = None,
    *,
    levels: npt.ArrayLike | None = None,
    interval: Literal["analytic", "bootstrap"] | None = "analytic",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Coefficient: ...
def compare_fits(simple: IrtFit, rich: IrtFit) -> Comparison: ...
def conger_kappa(
    ratings: npt.ArrayLike | Ratings,
    *,
    weights: Literal["identity", "linear", "quadratic"] | npt.ArrayLike | None = None,
    levels: npt.ArrayLike | None = None,
) -> Coefficient: ...
def constant_items(
    responses: npt.ArrayLike,
    *,
    trials: npt.ArrayLike | None = None,
) -> npt.NDArray[np.int64]: ...
def contrast_interval(
    replicates: npt.ArrayLike,
    i: int,
    j: int,
    *,
    level: float = 0.95,
) -> tuple[float, float]: ...
def expanded_level(level: float, clusters: int) -> float: ...
def expected_information(
    information: npt.ArrayLike,
    weights: npt.ArrayLike,
) -> npt.NDArray[np.float64]: ...
def fewest_units(threshold: float, *, alpha: float = 1.0, beta: float = 1.0) -> int: ...
def fit_irt(
    responses: npt.ArrayLike,
    *,
    trials: npt.ArrayLike | None = None,
    model: Literal["1PL", "2PL"] = "2PL",
    system_weights: npt.ArrayLike | None = None,
    item_weights: npt.ArrayLike | None = None,
    log_discrimination_sd: float = 0.5,
    difficulty_sd: float = 2.0,
    grid: Literal["refined", "fixed"] = "refined",
    nodes: int = 41,
    reach: float = 4.0,
    gradient_tolerance: float = 1e-06,
    max_iterations: int = 500,
    start: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
) -> IrtFit: ...
def fleiss_kappa(
    ratings: npt.ArrayLike | Ratings,
    *,
    weights: Literal["identity", "linear", "quadratic"] | npt.ArrayLike | None = None,
    levels: npt.ArrayLike | None = None,
    interval: Literal["analytic", "bootstrap"] | None = "analytic",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Coefficient: ...
def geometric_fit(
    retention: npt.ArrayLike,
    systems: npt.ArrayLike | None = None,
) -> GeometricFit: ...
def geometric_interval(
    systems: npt.ArrayLike,
    unanimous_pass: npt.ArrayLike,
    unanimous_fail: npt.ArrayLike,
    majority_pass: npt.ArrayLike,
    *,
    replicates: int = 1000,
    seed: int = 0,
) -> tuple[float, float]: ...
def greedy(
    information: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    budget: int | None = None,
    share: float | None = None,
    candidates: npt.ArrayLike | None = None,
) -> Selection: ...
def gwet_ac1(
    ratings: npt.ArrayLike | Ratings,
    *,
    levels: npt.ArrayLike | None = None,
    interval: Literal["analytic", "bootstrap"] | None = "analytic",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Coefficient: ...
def gwet_ac2(
    ratings: npt.ArrayLike | Ratings,
    *,
    weights: Literal["identity", "linear", "quadratic"] | npt.ArrayLike,
    levels: npt.ArrayLike | None = None,
    interval: Literal["analytic", "bootstrap"] | None = "analytic",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Coefficient: ...
def hard_set(
    systems: npt.ArrayLike,
    unanimous_pass: npt.ArrayLike,
    unanimous_fail: npt.ArrayLike,
    majority_pass: npt.ArrayLike,
) -> npt.NDArray[np.int64]: ...
def icc(
    ratings: npt.ArrayLike | Ratings,
    *,
    form: Literal["1,1", "2,1", "3,1", "1,k", "2,k", "3,k"] = "2,1",
    level: float = 0.95,
) -> IntraclassCorrelation: ...
def information(
    discrimination: npt.ArrayLike,
    difficulty: npt.ArrayLike,
    theta: npt.ArrayLike,
) -> float | npt.NDArray[np.float64]: ...
def item_rest_correlation(
    responses: npt.ArrayLike,
    *,
    trials: npt.ArrayLike | None = None,
    system_weights: npt.ArrayLike | None = None,
) -> ItemRest: ...
def judge_error(rho: float, judges: int) -> float: ...
def k_eff(weights: npt.ArrayLike) -> float: ...
def kappa_with_flips_of(
    ratings: npt.ArrayLike | Ratings,
    other: npt.ArrayLike | None = None,
    *,
    others: FlipModel,
    levels: npt.ArrayLike | None = None,
) -> float: ...
def kendall_tau_b(x: npt.ArrayLike, y: npt.ArrayLike) -> float: ...
def krippendorff_alpha(
    ratings: npt.ArrayLike | Ratings,
    *,
    difference: Literal["nominal", "ordinal", "interval", "ratio"] = "nominal",
    levels: npt.ArrayLike | None = None,
    interval: Literal["analytic", "bootstrap"] | None = "analytic",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Coefficient: ...
def linked_groups(
    responses: npt.ArrayLike,
    *,
    trials: npt.ArrayLike | None = None,
) -> npt.NDArray[np.int64]: ...
def measurability(
    unanimous: npt.ArrayLike,
    total: npt.ArrayLike,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
) -> Measurability: ...
def pabak(
    ratings: npt.ArrayLike | Ratings,
    other: npt.ArrayLike | None = None,
    *,
    levels: npt.ArrayLike | None = None,
    interval: Literal["analytic", "bootstrap"] | None = "analytic",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Coefficient: ...
def paired_rounds(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    levels: int,
    coefficient: Literal["cohen_kappa", "scott_pi"] = "cohen_kappa",
    weights: Literal["identity", "linear", "quadratic"] | npt.ArrayLike | None = None,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> RoundDifference: ...
def paired_shares(first: npt.ArrayLike, second: npt.ArrayLike) -> PairedDifference: ...
def percent_agreement(
    ratings: npt.ArrayLike | Ratings,
    *,
    levels: npt.ArrayLike | None = None,
    interval: Literal["analytic", "bootstrap"] | None = "analytic",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Coefficient: ...
def percentile_interval(values: npt.ArrayLike, *, level: float = 0.95) -> tuple[float, float]: ...
def phi(
    ratings: npt.ArrayLike | Ratings,
    other: npt.ArrayLike | None = None,
    *,
    levels: npt.ArrayLike | None = None,
) -> float: ...
def plain(
    information: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    budget: int | None = None,
    share: float | None = None,
    candidates: npt.ArrayLike | None = None,
) -> Selection: ...
def prevalence_index(
    ratings: npt.ArrayLike | Ratings,
    other: npt.ArrayLike | None = None,
    *,
    levels: npt.ArrayLike | None = None,
) -> float: ...
def probability(
    discrimination: npt.ArrayLike,
    difficulty: npt.ArrayLike,
    theta: npt.ArrayLike,
) -> float | npt.NDArray[np.float64]: ...
def probability_at_least(
    unanimous: npt.ArrayLike,
    total: npt.ArrayLike,
    threshold: float,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
) -> float | npt.NDArray[np.float64]: ...
def random_bank(
    candidates: npt.ArrayLike,
    size: int,
    *,
    seed: int = 0,
    replicate: int = 0,
) -> npt.NDArray[np.int64]: ...
def rank_target(systems: int) -> float: ...
def ranks(values: npt.ArrayLike) -> npt.NDArray[np.float64]: ...
def read_flips(
    ratings: npt.ArrayLike | Ratings,
    other: npt.ArrayLike | None = None,
    *,
    levels: npt.ArrayLike | None = None,
) -> FlipReading: ...
def score_variance(
    weights: npt.ArrayLike,
    pass_rates: npt.ArrayLike,
    errors: npt.ArrayLike,
    *,
    prompts: int,
    repeats: int = 1,
) -> ScoreVariance: ...
def scott_pi(
    ratings: npt.ArrayLike | Ratings,
    other: npt.ArrayLike | None = None,
    *,
    levels: npt.ArrayLike | None = None,
    interval: Literal["analytic", "bootstrap"] | None = "analytic",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Coefficient: ...
def share_separated(separated: npt.ArrayLike) -> float: ...
def share_standard_error(p: float, n: int) -> float: ...
def simulate(
    *,
    systems: int = 15,
    queries: int = 104,
    criteria: int = 6,
    judges: int = 3,
    seed: int = 1,
    ability_sd: float = 1.0,
    query_interaction_sd: float = 0.0,
    difficulty_sd: float = 1.5,
    log_discrimination_sd: float = 0.5,
    agreement_a: float = 4.23,
    agreement_b: float = 1.05,
    leniency_sd: float = 0.2,
) -> SimulatedPanel: ...
def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> float: ...
def spearman_p_value(rho: float, n: int) -> float: ...
def spread(scores: npt.ArrayLike) -> Spread: ...
def tiers(
    order: npt.ArrayLike,
    separated: npt.ArrayLike,
    *,
    rule: Literal["adjacent", "anchored"] = "adjacent",
) -> npt.NDArray[np.int64]: ...
def unanimity(
    ratings: npt.ArrayLike | Ratings,
    *,
    levels: npt.ArrayLike | None = None,
) -> float: ...
def unanimity_rate(error: float, judges: int) -> float: ...
def units_factor(share: float) -> float: ...
def units_for_half_width(p: float, half_width: float, *, level: float = 0.95) -> int: ...
def units_for_standard_error(p: float, wanted: float) -> int: ...
def units_to_see_difference(p: float, q: float, *, level: float = 0.95) -> int: ...
def unpaired_coefficients(
    first: tuple[float, float],
    second: tuple[float, float],
    *,
    level: float = 0.95,
) -> UnpairedDifference: ...
def unpaired_shares(first: tuple[int, int], second: tuple[int, int]) -> UnpairedDifference: ...
def utility(information: npt.ArrayLike, weights: npt.ArrayLike, bank: npt.ArrayLike) -> float: ...
def weighted_kappa(
    ratings: npt.ArrayLike | Ratings,
    other: npt.ArrayLike | None = None,
    *,
    weights: Literal["identity", "linear", "quadratic"] | npt.ArrayLike,
    levels: npt.ArrayLike | None = None,
    interval: Literal["analytic", "bootstrap"] | None = "analytic",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Coefficient: ...
def weighted_pi(
    ratings: npt.ArrayLike | Ratings,
    other: npt.ArrayLike | None = None,
    *,
    weights: Literal["identity", "linear", "quadratic"] | npt.ArrayLike,
    levels: npt.ArrayLike | None = None,
    interval: Literal["analytic", "bootstrap"] | None = "analytic",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Coefficient: ...
def wilson_interval(
    passed: npt.ArrayLike,
    trials: npt.ArrayLike,
) -> tuple[float | npt.NDArray[np.float64], float | npt.NDArray[np.float64]]: ...
