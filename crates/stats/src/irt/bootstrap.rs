//! How abilities vary when the queries, or the labels, are drawn again.
//!
//! Replicates run in parallel; each has its own numbered random stream and its own place in the result, so that neither threads nor the
//! number of replicates change any of them.

use super::ability::known_items;
use super::fit::{check, check_item_weights, fit_on};
use super::influence::Linearised;
use super::linear::{Cholesky, add};
use super::{Fit, FitOptions, Grid, IrtError, Items, Responses, constant_items, probability};
use crate::Undefined;
use crate::error::same_length;
use crate::resample::{draw_clusters, enough_clusters};
use crate::stream::{Purpose, Stream};
use crate::watch::Watch;

/// The share of replicates that must have a value.
const NEEDED_SHARE: f64 = 0.9;

/// How to resample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BootstrapOptions {
    /// Replicates drawn.
    pub replicates: u32,
    /// The seed of every stream.
    pub seed: u64,
    /// When the refit of a replicate stops, as [`FitOptions::gradient_tolerance`].
    pub gradient_tolerance: f64,
}

impl BootstrapOptions {
    /// 300 replicates (`[CR26]` 4.3, METHODS 102) that stop at a gradient of 1e-4.
    ///
    /// At 1e-4 no ability of 300 replicates of simulated 15 x 616 and 25 x 917 tables was further than 7e-6 from where a gradient of 1e-8
    /// puts it, against standard errors from 0.066 up. At 1e-3 one replicate had stopped short by 0.016.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            replicates: 300,
            seed,
            gradient_tolerance: 1e-4,
        }
    }
}

/// Abilities of every system in every replicate.
///
/// Refits are aligned to the fit: each replicate's abilities are shifted and stretched to the mean and deviation, over systems, of the
/// abilities they replicate. The population's standard normal fixes the scale of a refit only loosely when systems are few; aligned
/// replicates speak of CONTRASTS between these systems, not of a system's distance from the population's mean.
#[derive(Clone, Debug, PartialEq)]
pub struct AbilityReplicates {
    /// How many systems there are.
    pub systems: usize,
    /// How many replicates have a value.
    pub replicates: usize,
    /// How many of them had not converged when their iterations ran out.
    pub unconverged: usize,
    /// Abilities on all items, replicate by replicate, `replicates * systems`.
    pub pool: Vec<f64>,
    /// Abilities in the same replicates on the bank's items only, aligned by the same shift and stretch; laid out as `pool`.
    pub bank: Option<Vec<f64>>,
}

impl AbilityReplicates {
    /// The same replicates, each system's moved so that their mean is the ability they replicate.
    ///
    /// A refit shrinks abilities differently from the fit, and percentiles are to tell the spread, not that bias: an interval of the
    /// centred replicates holds its estimate. The coverage of contrasts is the same with and without (`docs/validation.md`).
    ///
    /// `pool` and `bank` are the abilities replicated, one per system; the bank's stay as they are where `bank` is `None`.
    ///
    /// # Panics
    /// If there is not one ability per system.
    #[must_use]
    pub fn centred(mut self, pool: &[f64], bank: Option<&[f64]>) -> Self {
        assert_eq!(pool.len(), self.systems, "one ability per system");
        centre(&mut self.pool, pool);
        if let (Some(table), Some(bank)) = (&mut self.bank, bank) {
            assert_eq!(bank.len(), self.systems, "one ability per system on the bank");
            centre(table, bank);
        }
        self
    }
}

/// Moves the columns of a table of rows as long as `target` so that their means are those of `target`.
fn centre(table: &mut [f64], target: &[f64]) {
    let rows = (table.len() / target.len()) as f64;
    for (i, &to) in target.iter().enumerate() {
        let mean = table.iter().skip(i).step_by(target.len()).sum::<f64>() / rows;
        for x in table.iter_mut().skip(i).step_by(target.len()) {
            *x += to - mean;
        }
    }
}

/// The query-cluster bootstrap: clusters of items are drawn with replacement, parameters refitted from the fit's, abilities taken anew.
///
/// `clusters` names the cluster of each item, usually its query. An item drawn `c` times counts as `c` items with its labels and its
/// priors; since copies share their data they share their parameters, so it enters with weight `c`. `bank` holds indices of items.
/// The target is these systems on other queries like these.
///
/// # Errors
/// [`Undefined::TooFewClusters`] below [`MIN_CLUSTERS`](crate::resample::MIN_CLUSTERS): use [`parametric_bootstrap`] then; otherwise as
/// [`fit`](super::fit()), and if clusters are not one per item or the bank points past the items.
///
/// Source: METHODS 102.
pub fn cluster_bootstrap(
    responses: &Responses,
    point: &Fit,
    clusters: &[u32],
    bank: Option<&[usize]>,
    options: &FitOptions,
    bootstrap: &BootstrapOptions,
) -> Result<AbilityReplicates, IrtError> {
    let setting = Setting::new(responses, point, bank, options, bootstrap)?;
    let (members, count) = dense_groups(clusters, responses.items())?;
    enough_clusters(count)?;
    let draw = |replicate: u32| {
        let mut stream = Stream::new(bootstrap.seed, Purpose::AbilityBootstrap, replicate);
        let counts = draw_clusters(&mut stream, count);
        let weight = |j: usize| setting.weight(j) * f64::from(counts[members[j]]);
        let weights: Vec<f64> = (0..responses.items()).map(weight).collect();
        setting.refit(responses, &weights)
    };
    setting.collect(draw)
}

/// The query-cluster bootstrap to first order: clusters are drawn as in [`cluster_bootstrap`], and abilities move by the sum of what each
/// cluster's draws do to them, through the posteriors and through all item parameters, instead of being refitted.
///
/// One linear system serves all replicates. The target is the same; `docs/validation.md` has the coverage of both.
///
/// # Errors
/// As [`cluster_bootstrap`]; [`Undefined::NotPositiveDefinite`] when F has no strict maximum at the fit, as where it has not converged.
///
/// Source: METHODS 102; the infinitesimal jackknife of Efron 1982, chapter 6, and Louis 1982 for the information.
pub fn influence_bootstrap(
    responses: &Responses,
    point: &Fit,
    clusters: &[u32],
    bank: Option<&[usize]>,
    options: &FitOptions,
    bootstrap: &BootstrapOptions,
) -> Result<AbilityReplicates, IrtError> {
    let setting = Setting::new(responses, point, bank, options, bootstrap)?;
    let (members, count) = dense_groups(clusters, responses.items())?;
    enough_clusters(count)?;
    let linear = Linearised::new(responses, point, options)?;
    let pool = linear.influence(&members, count);
    let on_bank = setting.in_bank.as_deref();
    let on_bank = on_bank.map(|in_bank| linear.bank_influence(&members, count, in_bank));
    let draw = |replicate: u32| {
        let mut stream = Stream::new(bootstrap.seed, Purpose::AbilityBootstrap, replicate);
        let counts = draw_clusters(&mut stream, count);
        let moved = |abilities: &[f64], influence: &[f64]| {
            let mut abilities = abilities.to_vec();
            for (&times, row) in counts.iter().zip(influence.chunks_exact(abilities.len())) {
                add(&mut abilities, f64::from(times) - 1.0, row);
            }
            abilities
        };
        Ok(Some(setting.moved(moved, pool.as_slice(), on_bank.as_deref())))
    };
    setting.collect(draw)
}

/// Draws from the normal approximation of what the model leaves open: each system's posterior, and item parameters by the delta method.
///
/// No label is drawn anew and nothing refitted. The target is the ability of these systems on the fitted scale, given these queries: how
/// abilities differ from query to query is left out, so prefer [`influence_bootstrap`] where there are clusters enough.
///
/// # Errors
/// As [`fit`](super::fit()), and if the bank points past the items; [`Undefined::NotPositiveDefinite`] when F has no strict maximum at the
/// fit.
///
/// Source: METHODS 102 (posterior and delta term); Yang, Hansen and Cai 2012.
pub fn posterior_draws(
    responses: &Responses,
    point: &Fit,
    bank: Option<&[usize]>,
    options: &FitOptions,
    bootstrap: &BootstrapOptions,
) -> Result<AbilityReplicates, IrtError> {
    let setting = Setting::new(responses, point, bank, options, bootstrap)?;
    let systems = responses.systems();
    let linear = Linearised::new(responses, point, options)?;
    let factor = |covariance: Vec<f64>| Cholesky::new(covariance, systems).ok_or(Undefined::NotPositiveDefinite);
    let pool = factor(linear.covariance())?;
    let on_bank = setting
        .in_bank
        .as_deref()
        .map(|in_bank| factor(linear.bank_covariance(in_bank)));
    let on_bank = on_bank.transpose()?;
    let draw = |replicate: u32| {
        let mut stream = Stream::new(bootstrap.seed, Purpose::PosteriorDraws, replicate);
        let normal: Vec<f64> = (0..systems).map(|_| stream.normal()).collect();
        let moved = |abilities: &[f64], factor: &Cholesky| -> Vec<f64> {
            let errors = factor.multiply(&normal);
            abilities.iter().zip(errors).map(|(x, e)| x + e).collect()
        };
        Ok(Some(setting.moved(moved, &pool, on_bank.as_ref())))
    };
    setting.collect(draw)
}

/// The parametric bootstrap: labels simulated from the fit, with the same trials, refitted and aligned.
///
/// Every label is drawn at the system's ability and the item's parameters; items that come out constant are dropped from the replicate.
/// The target is these systems judged again on these queries: it leaves out how abilities differ from query to query, so prefer
/// [`cluster_bootstrap`] where there are clusters enough.
///
/// # Errors
/// As [`fit`](super::fit()), and if the bank points past the items; [`Undefined::TooFewReplicates`] when most simulations leave no item.
///
/// Source: METHODS 102.
pub fn parametric_bootstrap(
    responses: &Responses,
    point: &Fit,
    bank: Option<&[usize]>,
    options: &FitOptions,
    bootstrap: &BootstrapOptions,
) -> Result<AbilityReplicates, IrtError> {
    let setting = Setting::new(responses, point, bank, options, bootstrap)?;
    let draw = |replicate: u32| {
        let mut stream = Stream::new(bootstrap.seed, Purpose::ParametricBootstrap, replicate);
        let simulated = simulate(responses, &point.items, &setting.abilities, &mut stream);
        let mut weights: Vec<f64> = (0..responses.items()).map(|j| setting.weight(j)).collect();
        for j in constant_items(&simulated) {
            weights[j] = 0.0;
        }
        setting.refit(&simulated, &weights)
    };
    setting.collect(draw)
}

/// The source's plain form: items are drawn with replacement within their query, abilities taken under fixed parameters, not aligned.
///
/// `queries` names the query of each item; the bank's items are drawn among themselves. It is too narrow, and this is why it is not the
/// default: fixed parameters leave out calibration error, and a query of `n` items has its variance shrunk by `(n - 1) / n`, to nothing
/// for a single item.
///
/// # Errors
/// As [`fit`](super::fit()), and if queries are not one per item or the bank points past the items.
///
/// Source: `[CR26]` 4.3; METHODS 102, which measures its coverage.
pub fn source_bootstrap(
    responses: &Responses,
    point: &Fit,
    queries: &[u32],
    bank: Option<&[usize]>,
    options: &FitOptions,
    bootstrap: &BootstrapOptions,
) -> Result<AbilityReplicates, IrtError> {
    let setting = Setting::new(responses, point, bank, options, bootstrap)?;
    let (members, count) = dense_groups(queries, responses.items())?;
    let mut pool_groups = vec![Vec::new(); count];
    let mut bank_groups = pool_groups.clone();
    for j in 0..responses.items() {
        pool_groups[members[j]].push(j);
    }
    for &j in bank.unwrap_or_default() {
        bank_groups[members[j]].push(j);
    }
    let draw = |replicate: u32| {
        let mut stream = Stream::new(bootstrap.seed, Purpose::SourceBootstrap, replicate);
        let mut resample = |groups: &[Vec<usize>]| {
            let mut weights = vec![0.0; responses.items()];
            for group in groups {
                for _ in group {
                    let j = group[stream.below(group.len())];
                    weights[j] += setting.weight(j);
                }
            }
            means(responses, &point.items, &point.grid, Some(&weights))
        };
        Ok(Some(Replicate {
            pool: resample(&pool_groups)?,
            bank: bank.map(|_| resample(&bank_groups)).transpose()?,
            converged: true,
        }))
    };
    setting.collect(draw)
}

/// One replicate's abilities.
struct Replicate {
    pool: Vec<f64>,
    bank: Option<Vec<f64>>,
    converged: bool,
}

/// What all replicates of one bootstrap share.
struct Setting<'a> {
    point: &'a Fit,
    /// The fit's abilities, the target of alignment.
    abilities: Vec<f64>,
    in_bank: Option<Vec<bool>>,
    /// The abilities on the bank under the fit's parameters.
    bank_abilities: Option<Vec<f64>>,
    options: &'a FitOptions,
    bootstrap: &'a BootstrapOptions,
}

impl<'a> Setting<'a> {
    fn new(
        responses: &Responses,
        point: &'a Fit,
        bank: Option<&[usize]>,
        options: &'a FitOptions,
        bootstrap: &'a BootstrapOptions,
    ) -> Result<Self, IrtError> {
        check(responses, options)?;
        point.items.check(responses.items())?;
        let in_bank = bank.map(|bank| membership(bank, responses.items()));
        let in_bank = in_bank.transpose()?;
        let weights = options.item_weights.as_deref();
        let bank_abilities = in_bank.as_ref().map(|in_bank| {
            let weight = |j: usize| f64::from(u8::from(in_bank[j])) * weights.map_or(1.0, |w| w[j]);
            let weights: Vec<f64> = (0..responses.items()).map(weight).collect();
            means(responses, &point.items, &point.grid, Some(&weights))
        });
        Ok(Self {
            point,
            abilities: means(responses, &point.items, &point.grid, weights)?,
            in_bank,
            bank_abilities: bank_abilities.transpose()?,
            options,
            bootstrap,
        })
    }

    fn weight(&self, j: usize) -> f64 {
        self.options.item_weights.as_ref().map_or(1.0, |w| w[j])
    }

    /// A fit of the items of positive weight, warm from the point fit, and its aligned abilities; `None` when no item is left.
    fn refit(&self, responses: &Responses, weights: &[f64]) -> Result<Option<Replicate>, IrtError> {
        let drawn: Vec<usize> = (0..weights.len()).filter(|&j| weights[j] > 0.0).collect();
        if drawn.is_empty() {
            return Ok(None);
        }
        let responses = responses.select(&drawn);
        let weights: Vec<f64> = drawn.iter().map(|&j| weights[j]).collect();
        let options = FitOptions {
            gradient_tolerance: self.bootstrap.gradient_tolerance,
            start: Some(self.point.items.select(&drawn)),
            item_weights: Some(weights.clone()),
            ..self.options.clone()
        };
        check(&responses, &options)?;
        let (refit, pool) = fit_on(&responses, self.point.model, &options, &self.point.grid);
        let bank = match &self.in_bank {
            None => None,
            Some(in_bank) => {
                let in_bank = drawn.iter().map(|&j| f64::from(u8::from(in_bank[j])));
                let weights: Vec<f64> = in_bank.zip(&weights).map(|(b, w)| b * w).collect();
                Some(means(&responses, &refit.items, &refit.grid, Some(&weights))?)
            }
        };
        Ok(Some(self.aligned(pool, bank, refit.convergence.converged())))
    }

    /// A replicate in which the abilities of the fit, and those on the bank, are moved by what is given for each.
    fn moved<T: ?Sized>(&self, moved: impl Fn(&[f64], &T) -> Vec<f64>, pool: &T, bank: Option<&T>) -> Replicate {
        let on_bank = bank.zip(self.bank_abilities.as_ref());
        let bank = on_bank.map(|(by, abilities)| moved(abilities, by));
        self.aligned(moved(&self.abilities, pool), bank, true)
    }

    /// A replicate with the shift and the stretch of its pool taken out of both.
    fn aligned(&self, mut pool: Vec<f64>, mut bank: Option<Vec<f64>>, converged: bool) -> Replicate {
        let alignment = Alignment::new(&pool, &self.abilities);
        alignment.apply(&mut pool);
        if let Some(bank) = &mut bank {
            alignment.apply(bank);
        }
        Replicate { pool, bank, converged }
    }

    /// Runs every replicate and lays the results out in replicate order.
    fn collect(
        &self,
        draw: impl Fn(u32) -> Result<Option<Replicate>, IrtError> + Sync + Send,
    ) -> Result<AbilityReplicates, IrtError> {
        let of = self.bootstrap.replicates;
        let drawn = Watch::current().parts(of, draw);
        let all: Vec<Option<Replicate>> = drawn.into_iter().collect::<Result<_, _>>()?;
        let valid: Vec<Replicate> = all.into_iter().flatten().collect();
        if valid.is_empty() || (valid.len() as f64) < NEEDED_SHARE * f64::from(of) {
            return Err(IrtError::Undefined(Undefined::TooFewReplicates {
                have: valid.len(),
                of: of as usize,
            }));
        }
        let bank = self.in_bank.as_ref().map(|_| {
            let rows = valid.iter().filter_map(|replicate| replicate.bank.as_deref());
            rows.flatten().copied().collect()
        });
        Ok(AbilityReplicates {
            systems: self.abilities.len(),
            replicates: valid.len(),
            unconverged: valid.iter().filter(|replicate| !replicate.converged).count(),
            pool: valid.iter().flat_map(|replicate| &replicate.pool).copied().collect(),
            bank,
        })
    }
}

/// Systems whose deviation is at most this came out alike, but for what a refit's tolerance leaves open, and have no scale to correct.
const ALIKE: f64 = 1e-3;

/// The shift and stretch that give a replicate's abilities the mean and the deviation of those they replicate.
struct Alignment {
    from: f64,
    stretch: f64,
    to: f64,
}

impl Alignment {
    fn new(abilities: &[f64], target: &[f64]) -> Self {
        let (from, spread) = mean_and_deviation(abilities);
        let (to, target_spread) = mean_and_deviation(target);
        let stretch = if spread > ALIKE { target_spread / spread } else { 1.0 };
        Self { from, stretch, to }
    }

    fn apply(&self, abilities: &mut [f64]) {
        for x in abilities {
            *x = self.to + self.stretch * (*x - self.from);
        }
    }
}

fn mean_and_deviation(x: &[f64]) -> (f64, f64) {
    let count = x.len() as f64;
    let mean = x.iter().sum::<f64>() / count;
    let square = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    (mean, (square / count).sqrt())
}

/// Abilities alone, under item weights, on the nodes of the fit.
fn means(responses: &Responses, items: &Items, grid: &Grid, weights: Option<&[f64]>) -> Result<Vec<f64>, IrtError> {
    items.check(responses.items())?;
    check_item_weights(weights, responses.items())?;
    let mut objective = known_items(responses, grid, weights);
    objective.locate(items);
    let (means, _) = objective.posterior(items).moments(&objective.support);
    Ok(means)
}

/// Labels drawn anew, trial by trial, item by item.
fn simulate(responses: &Responses, items: &Items, abilities: &[f64], stream: &mut Stream) -> Responses {
    responses.with_successes(|i, j, trials| {
        let p = probability(items.discrimination[j], items.difficulty[j], abilities[i]);
        (0..trials).map(|_| u16::from(stream.bernoulli(p))).sum()
    })
}

/// The group of each item, numbered from 0 in ascending order of their names, and how many groups there are.
fn dense_groups(names: &[u32], items: usize) -> Result<(Vec<usize>, usize), IrtError> {
    same_length(("the groups of items", names.len()), ("the items", items))?;
    let mut distinct = names.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let position = |name: &u32| distinct.partition_point(|other| other < name);
    Ok((names.iter().map(position).collect(), distinct.len()))
}

/// Which of `items` items are in a bank.
fn membership(bank: &[usize], items: usize) -> Result<Vec<bool>, IrtError> {
    let mut member = vec![false; items];
    for &index in bank {
        *member.get_mut(index).ok_or(crate::Error::NoSuchIndex {
            what: "item",
            index,
            count: items,
        })? = true;
    }
    Ok(member)
}
