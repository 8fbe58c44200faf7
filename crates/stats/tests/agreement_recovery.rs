//! Agreement of simulated judges: the truth comes back, and intervals hold it as often as they say.

use calibrant_stats::agreement::{
    AgreementBootstrapOptions, Difference, FlipModel, PairTable, PairedFlags, PairedRounds, Ratings, Weights,
    against_gold, bootstrap_alpha, bootstrap_pair, cohen_kappa, cohen_kappa_error, fleiss_kappa_error, gwet_ac,
    gwet_ac_error, krippendorff_alpha, krippendorff_alpha_error, normal_interval, phi, read_flips, student_interval,
    unpaired_shares,
};
use calibrant_stats::resample::{Interval, LEVEL};
use calibrant_stats::stream::{Purpose, Stream};

/// Labels of `judges` who flip the truth with chance `flip`, where a share `prevalence` passes.
fn flipped(seed: u64, sample: u32, units: usize, judges: usize, prevalence: f64, flip: f64) -> Vec<u8> {
    let mut stream = Stream::new(seed, Purpose::Simulation, sample);
    let mut codes = Vec::with_capacity(units * judges);
    for _ in 0..units {
        let truth = stream.bernoulli(prevalence);
        codes.extend((0..judges).map(|_| u8::from(truth != stream.bernoulli(flip))));
    }
    codes
}

fn table(codes: &[u8]) -> PairTable {
    Ratings::new(2, 2, codes)
        .expect("codes fit")
        .pair(0, 1)
        .expect("there are two")
}

/// A million units bring the flip rate, the prevalence and the kappa of the closed form back.
#[test]
fn closed_form_is_recovered() {
    const UNITS: usize = 1_000_000;
    // Five standard errors: of the flip rate sqrt(po (1 - po) / n) / (2 (1 - 2 e)), of the others less than twice that.
    const BOUND: f64 = 5.0 * 0.0005;
    for (prevalence, flip) in [(0.5, 0.1), (0.9, 0.1), (0.95, 0.05), (0.2, 0.25)] {
        let table = table(&flipped(3, 0, UNITS, 2, prevalence, flip));
        let reading = read_flips(&table).expect("judges agree more than not");
        assert!(
            (reading.model.flip - flip).abs() < BOUND,
            "{prevalence} {flip}: {reading:?}"
        );
        assert!(
            (reading.prevalence.expect("in reach") - prevalence).abs() < 2.0 * BOUND,
            "{reading:?}"
        );
        let kappa = cohen_kappa(&table)
            .expect("there are units")
            .value
            .expect("labels differ");
        let model = FlipModel::new(flip).expect("a rate");
        assert!((kappa - model.kappa(prevalence).expect("labels differ")).abs() < 2.0 * BOUND);
        // Of judges beside the truth: both shares are 1 - e.
        let with_truth = against_gold(&table).expect("two levels");
        let chance = |q: f64| prevalence * q * (1.0 - flip) + (1.0 - prevalence) * (1.0 - q) * flip;
        let sensitivity = chance(1.0 - flip) / (prevalence * (1.0 - flip) + (1.0 - prevalence) * flip);
        let found = with_truth.sensitivity.expect("some pass");
        assert!((found.value() - sensitivity).abs() < 2.0 * BOUND);
        // Two judges of one kind: phi is kappa where their shares are alike.
        assert!((phi(&table).expect("both vary") - kappa).abs() < BOUND);
    }
}

/// How many of `samples` intervals hold the truth lies within five standard errors of the level, and of `slack` for what an interval
/// for large samples loses in a small one.
fn holds(samples: u32, slack: f64, what: &str, truth: f64, interval: impl Fn(u32) -> Interval) {
    let held = (0..samples).filter(|&sample| interval(sample).contains(truth)).count();
    let share = held as f64 / f64::from(samples);
    let error = (LEVEL * (1.0 - LEVEL) / f64::from(samples)).sqrt();
    assert!((share - LEVEL).abs() < 5.0 * error + slack, "{what} holds {share}");
}

const SAMPLES: u32 = 1000;
const UNITS: usize = 200;
/// Two hundred units, kappa about .5: intervals for large samples are off by a point, not more.
const SLACK: f64 = 0.01;

#[test]
fn intervals_of_two_judges_hold_the_truth() {
    let (prevalence, flip) = (0.8, 0.1);
    let truth = FlipModel::new(flip)
        .expect("a rate")
        .kappa(prevalence)
        .expect("labels differ");
    let sample = |sample| table(&flipped(7, sample, UNITS, 2, prevalence, flip));
    holds(SAMPLES, SLACK, "the interval of kappa", truth, |at| {
        let table = sample(at);
        let kappa = cohen_kappa(&table)
            .expect("there are units")
            .value
            .expect("labels differ");
        let error = cohen_kappa_error(&table)
            .expect("defined")
            .standard_error
            .expect("judges disagree");
        normal_interval(kappa, error, LEVEL)
    });
    let options = AgreementBootstrapOptions {
        replicates: 400,
        ..AgreementBootstrapOptions::default()
    };
    holds(SAMPLES, SLACK, "the bootstrap of kappa", truth, |at| {
        bootstrap_pair(&sample(at), &options, cohen_kappa)
            .expect("units")
            .interval
    });
}

#[test]
fn intervals_of_panels_hold_the_truth() {
    const JUDGES: usize = 4;
    let (prevalence, flip) = (0.8, 0.1);
    let model = FlipModel::new(flip).expect("a rate");
    // Judges are of one kind, so that Fleiss' kappa and alpha of very many units are the kappa of any two of them.
    let kappa = model.kappa(prevalence).expect("labels differ");
    let (observed, passes) = (model.agreement(), model.passes(prevalence));
    let chance = 2.0 * passes * (1.0 - passes);
    let ac1 = (observed - chance) / (1.0 - chance);
    let patterns = |sample| {
        let codes = flipped(11, sample, UNITS, JUDGES, prevalence, flip);
        Ratings::new(JUDGES, 2, &codes).expect("codes fit").tally().patterns()
    };
    let identity = Weights::identity(2);
    let by_units = |value, error| student_interval(value, error, UNITS as u64, LEVEL);
    holds(SAMPLES, SLACK, "the interval of alpha", kappa, |at| {
        let patterns = patterns(at);
        let alpha = krippendorff_alpha(&patterns.moments(), Difference::Nominal).expect("units have two labels");
        let error = krippendorff_alpha_error(&patterns, Difference::Nominal).expect("units differ");
        by_units(alpha.value.expect("labels differ"), error)
    });
    holds(SAMPLES, SLACK, "the interval of AC1", ac1, |at| {
        let patterns = patterns(at);
        let found = gwet_ac(&patterns.moments(), &identity).expect("units have two labels");
        let error = gwet_ac_error(&patterns, &identity).expect("units differ");
        by_units(found.value.expect("two levels"), error)
    });
    let options = AgreementBootstrapOptions {
        replicates: 400,
        ..AgreementBootstrapOptions::default()
    };
    holds(SAMPLES, SLACK, "the bootstrap of alpha", kappa, |at| {
        bootstrap_alpha(&patterns(at), Difference::Nominal, &options)
            .expect("units")
            .interval
    });
    // The two kinds of error agree.
    let one = patterns(0);
    let bootstrap = bootstrap_alpha(&one, Difference::Nominal, &AgreementBootstrapOptions::default()).expect("units");
    let error = krippendorff_alpha_error(&one, Difference::Nominal).expect("units differ");
    // A thousand replicates give a standard error to 1 in sqrt(2000); five of these, and the bias of 200 units.
    assert!((bootstrap.standard_error / error - 1.0).abs() < 0.12 + 0.02);
    assert!(fleiss_kappa_error(&one, &identity).expect("units differ") > 0.0);
}

#[test]
fn intervals_of_differences_hold_the_truth() {
    let (p, q) = (0.8, 0.88);
    let count = |sample, share: f64| {
        let mut stream = Stream::new(13, Purpose::Simulation, sample);
        (0..UNITS).filter(|_| stream.bernoulli(share)).count() as u64
    };
    holds(SAMPLES, SLACK, "the difference of two rounds", q - p, |at| {
        let (first, second) = (count(2 * at, p), count(2 * at + 1, q));
        let found = unpaired_shares((first, UNITS as u64), (second, UNITS as u64));
        found.expect("there are units").interval
    });
    holds(SAMPLES, SLACK, "the difference on the same units", q - p, |at| {
        let mut stream = Stream::new(17, Purpose::Simulation, at);
        let pairs: Vec<(bool, bool)> = (0..UNITS)
            .map(|_| {
                let x = stream.uniform();
                let y = if stream.bernoulli(0.5) { x } else { stream.uniform() };
                (x < p, y < q)
            })
            .collect();
        let (first, second): (Vec<bool>, Vec<bool>) = pairs.into_iter().unzip();
        let flags = PairedFlags::of(&first, &second).expect("one length");
        flags.difference().expect("there are units").interval
    });
}

/// Judges who get better between two rounds on the same units: the paired difference of kappas finds by how much.
#[test]
fn paired_rounds_find_the_change_of_kappa() {
    const MANY: usize = 20_000;
    let (prevalence, before, after) = (0.7, 0.2, 0.1);
    let mut stream = Stream::new(19, Purpose::Simulation, 0);
    let mut columns: [Vec<u8>; 4] = Default::default();
    for _ in 0..MANY {
        let truth = stream.bernoulli(prevalence);
        for (at, column) in columns.iter_mut().enumerate() {
            let flip = if at < 2 { before } else { after };
            column.push(u8::from(truth != stream.bernoulli(flip)));
        }
    }
    let [a, b, c, d] = &columns;
    let rounds = PairedRounds::new([2, 2], [a, b], [c, d]).expect("one length");
    let kappa = |flip| {
        FlipModel::new(flip)
            .expect("a rate")
            .kappa(prevalence)
            .expect("labels differ")
    };
    let truth = kappa(after) - kappa(before);
    let options = AgreementBootstrapOptions::default();
    let (found, replicates) = rounds.difference(&options, cohen_kappa).expect("units");
    assert!(
        (found - truth).abs() < 5.0 * replicates.standard_error,
        "{found} {truth}"
    );
    assert!(replicates.interval.low > 0.0 && replicates.interval.contains(found));
    // Units are many and errors independent given the truth: about the errors of two rounds added in squares, or less.
    let errors = rounds.tables().map(|table| {
        let error = cohen_kappa_error(&table).expect("defined");
        error.standard_error.expect("judges disagree")
    });
    assert!(replicates.standard_error < 1.05 * errors[0].hypot(errors[1]));
}
