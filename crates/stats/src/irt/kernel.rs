//! The inner loops: exponentials, logistic probabilities and the sums over nodes and systems.
//!
//! Each loop is written once, branch-free and without fused multiply-add, and compiled for several instruction sets. Lanes never mix
//! before a fixed final reduction, so every instruction set gives the same bits. This is the only module of the crate with `unsafe`:
//! the call of a function compiled for instructions that were detected before.

/// Sums over nodes run in this many lanes, whatever the width of the registers.
const LANES: usize = 8;

/// An instruction set that this machine was found to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// The widest set this machine has.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
            {
                return Self(Set::Avx512);
            }
            if is_x86_feature_detected!("avx2") {
                return Self(Set::Avx2);
            }
        }
        Self(Set::Baseline)
    }

    /// Every set this machine has, narrowest first.
    #[cfg(test)]
    fn available() -> Vec<Self> {
        let mut levels = vec![Self(Set::Baseline)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                levels.push(Self(Set::Avx2));
            }
            if Self::detect() == Self(Set::Avx512) {
                levels.push(Self(Set::Avx512));
            }
        }
        levels
    }
}

/// Defines `$name(level, ...)`, which runs the body `$body(...)` compiled for the given instruction set.
macro_rules! dispatch {
    ($(#[$doc:meta])* $name:ident = $body:ident($($arg:ident: $type:ty),+) $(-> $output:ty)?) => {
        $(#[$doc])*
        pub(crate) fn $name(level: Level, $($arg: $type),+) $(-> $output)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
                fn avx512($($arg: $type),+) $(-> $output)? {
                    $body($($arg),+)
                }
                #[target_feature(enable = "avx2")]
                fn avx2($($arg: $type),+) $(-> $output)? {
                    $body($($arg),+)
                }
                match level.0 {
                    // SAFETY: a `Level` holds this set only after every feature named above was detected.
                    Set::Avx512 => return unsafe { avx512($($arg),+) },
                    // SAFETY: as above.
                    Set::Avx2 => return unsafe { avx2($($arg),+) },
                    Set::Baseline => {}
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            let Level(Set::Baseline) = level;
            $body($($arg),+)
        }
    };
}

dispatch! {
    /// Log probabilities of passing and failing one item at every node, each times the item's weight.
    log_probabilities = log_probabilities_body(
        item: ItemAt, theta: &[f64], pass: &mut [f64], fail: &mut [f64]
    )
}

dispatch! {
    /// Adds `scale` times a row to another.
    add_scaled = add_scaled_body(scale: f64, row: &[f64], sum: &mut [f64])
}

dispatch! {
    /// Adds each system's successes on one item, times `slope` and times `product`, to its two sums.
    add_successes = add_successes_body(
        successes: &[u16], slope: f64, product: f64, slopes: &mut [f64], products: &mut [f64]
    )
}

dispatch! {
    /// Adds to a row what it lacks: a row common to all systems, and `slope` times the node less `product`.
    add_linear = add_linear_body(common: &[f64], theta: &[f64], slope: f64, product: f64, row: &mut [f64])
}

dispatch! {
    /// The successes on one item summed over systems, each times the system's first number, and times its second.
    weigh_successes = weigh_successes_body(successes: &[u16], first: &[f64], second: &[f64]) -> [f64; 2]
}

dispatch! {
    /// Probabilities of passing one item at every node.
    probabilities = probabilities_body(item: ItemAt, theta: &[f64], pass: &mut [f64])
}

dispatch! {
    /// Sums over nodes of expected passes and curvature of one item, from its expected trials. `scratch` is two rows that are overwritten.
    moments = moments_body(item: ItemAt, theta: &[f64], trials: &[f64], scratch: &mut [f64]) -> Moments
}

dispatch! {
    /// The sum over nodes of `weight * ln(1 + information * share)`, all of them at least 0.
    logarithmic_gain = logarithmic_gain_body(weights: &[f64], information: &[f64], shares: &[f64]) -> f64
}

dispatch! {
    /// Replaces each value, at most 0, by its exponential; below -708 the result is 0.
    exponentials = exponentials_body(values: &mut [f64])
}

/// The parameters of one item and its weight in the likelihood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemAt {
    pub a: f64,
    pub b: f64,
    pub weight: f64,
}

/// Sums over nodes for one item, with `u = theta - b`, expected passes `p = N P` and curvature `w = N P (1 - P)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moments {
    pub p: f64,
    pub pu: f64,
    pub w: f64,
    pub wu: f64,
    pub wuu: f64,
}

#[inline(always)]
fn log_probabilities_body(item: ItemAt, theta: &[f64], pass: &mut [f64], fail: &mut [f64]) {
    for ((pass, fail), &theta) in pass.iter_mut().zip(fail).zip(theta) {
        let z = item.a * (theta - item.b);
        let l = log1p_unit(exp_nonpositive(-z.abs()));
        *pass = item.weight * (z.min(0.0) - l);
        *fail = item.weight * ((-z).min(0.0) - l);
    }
}

#[inline(always)]
fn add_scaled_body(scale: f64, row: &[f64], sum: &mut [f64]) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += scale * x;
    }
}

#[inline(always)]
fn add_successes_body(successes: &[u16], slope: f64, product: f64, slopes: &mut [f64], products: &mut [f64]) {
    for ((&s, slopes), products) in successes.iter().zip(slopes).zip(products) {
        let s = f64::from(s);
        *slopes += slope * s;
        *products += product * s;
    }
}

#[inline(always)]
fn add_linear_body(common: &[f64], theta: &[f64], slope: f64, product: f64, row: &mut [f64]) {
    for ((x, c), t) in row.iter_mut().zip(common).zip(theta) {
        *x += c + (slope * t - product);
    }
}

#[inline(always)]
fn weigh_successes_body(successes: &[u16], first: &[f64], second: &[f64]) -> [f64; 2] {
    let mut sums = [[0.0; LANES]; 2];
    let (whole, rest) = successes.as_chunks::<LANES>();
    let (first, first_rest) = first.as_chunks::<LANES>();
    let (second, second_rest) = second.as_chunks::<LANES>();
    for ((s, first), second) in whole.iter().zip(first).zip(second) {
        for l in 0..LANES {
            let s = f64::from(s[l]);
            sums[0][l] += s * first[l];
            sums[1][l] += s * second[l];
        }
    }
    for ((&s, first), second) in rest.iter().zip(first_rest).zip(second_rest) {
        sums[0][0] += f64::from(s) * first;
        sums[1][0] += f64::from(s) * second;
    }
    sums.map(reduce)
}

#[inline(always)]
fn probabilities_body(item: ItemAt, theta: &[f64], pass: &mut [f64]) {
    for (pass, &theta) in pass.iter_mut().zip(theta) {
        let z = item.a * (theta - item.b);
        let e = exp_nonpositive(-z.abs());
        let q = 1.0 / (1.0 + e);
        *pass = if z >= 0.0 { q } else { e * q };
    }
}

#[inline(always)]
fn moments_body(item: ItemAt, theta: &[f64], trials: &[f64], scratch: &mut [f64]) -> Moments {
    // One pass fills rows, which vectorises whatever the width; the next adds them up in lanes.
    let (passes, curvatures) = scratch.split_at_mut(theta.len());
    let rows = passes.iter_mut().zip(curvatures.iter_mut());
    for ((&theta, &n), (pass, curvature)) in theta.iter().zip(trials).zip(rows) {
        let z = item.a * (theta - item.b);
        let e = exp_nonpositive(-z.abs());
        let q = 1.0 / (1.0 + e);
        *pass = n * if z >= 0.0 { q } else { e * q };
        *curvature = n * e * q * q;
    }
    let mut sums = [[0.0; LANES]; 5];
    let rows = passes.chunks_exact(LANES).zip(curvatures.chunks_exact(LANES));
    for (theta, (p, w)) in theta.chunks_exact(LANES).zip(rows) {
        for l in 0..LANES {
            let u = theta[l] - item.b;
            let wu = w[l] * u;
            sums[0][l] += p[l];
            sums[1][l] += p[l] * u;
            sums[2][l] += w[l];
            sums[3][l] += wu;
            sums[4][l] += wu * u;
        }
    }
    let [p, pu, w, wu, wuu] = sums.map(reduce);
    Moments { p, pu, w, wu, wuu }
}

#[inline(always)]
fn logarithmic_gain_body(weights: &[f64], information: &[f64], shares: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let mut largest = [0.0; LANES];
    let (whole, rest) = weights.as_chunks::<LANES>();
    let (rows, rows_rest) = information.as_chunks::<LANES>();
    let (scales, scales_rest) = shares.as_chunks::<LANES>();
    for ((w, i), s) in whole.iter().zip(rows).zip(scales) {
        for l in 0..LANES {
            let x = i[l] * s[l];
            largest[l] = if x > largest[l] { x } else { largest[l] };
            lanes[l] += w[l] * log1p_unit(x);
        }
    }
    for (l, ((w, i), s)) in rest.iter().zip(rows_rest).zip(scales_rest).enumerate() {
        let x = i * s;
        largest[l] = if x > largest[l] { x } else { largest[l] };
        lanes[l] += w * log1p_unit(x);
    }
    // The polynomial ends at 1; more is gained in the first choices alone.
    if largest.iter().any(|x| *x > 1.0) {
        lanes = [0.0; LANES];
        let terms = weights.iter().zip(information).zip(shares);
        for (k, ((w, i), s)) in terms.enumerate() {
            lanes[k % LANES] += w * (i * s).ln_1p();
        }
    }
    reduce(lanes)
}

#[inline(always)]
fn exponentials_body(values: &mut [f64]) {
    for x in values {
        *x = exp_nonpositive(*x);
    }
}

/// The sum of the lanes, as a balanced tree.
#[inline(always)]
fn reduce(x: [f64; LANES]) -> f64 {
    ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
}

/// exp(t) for t <= 0, to a relative 2 epsilon; 0 below -708, where results stop being normal numbers.
///
/// With k = round(t / ln 2) and r = t - k ln 2 in two parts, exp(t) = 2^k exp(r); the Taylor polynomial of degree 13 on |r| <= ln(2)/2
/// is off by 0.3466^14 / 14! = 4e-18.
#[inline(always)]
fn exp_nonpositive(t: f64) -> f64 {
    const LOWEST: f64 = -708.0;
    // Adding 1.5 * 2^52 leaves the nearest integer in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // ln 2 with its last 32 bits cut, so that k times it is exact, and the rest.
    const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const INVERSE_FACTORIALS: [f64; 14] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ];
    let x = if t > LOWEST { t } else { LOWEST };
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let mut sum = INVERSE_FACTORIALS[0];
    for c in &INVERSE_FACTORIALS[1..] {
        sum = sum * r + c;
    }
    // The low bits of `shifted` are k in two's complement; the shift drops everything above the exponent.
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    if t < LOWEST { 0.0 } else { sum * scale }
}

/// ln(1 + e) for e in [0, 1], to a relative 2.5 epsilon.
///
/// With s = e / (2 + e), ln(1 + e) = 2 artanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...), and s^2 <= 1/9: seventeen terms leave
/// 9^-17 / 35 = 2e-18.
#[inline(always)]
fn log1p_unit(e: f64) -> f64 {
    const ODD_INVERSES: [f64; 17] = [
        1.0 / 33.0,
        1.0 / 31.0,
        1.0 / 29.0,
        1.0 / 27.0,
        1.0 / 25.0,
        1.0 / 23.0,
        1.0 / 21.0,
        1.0 / 19.0,
        1.0 / 17.0,
        1.0 / 15.0,
        1.0 / 13.0,
        1.0 / 11.0,
        1.0 / 9.0,
        1.0 / 7.0,
        1.0 / 5.0,
        1.0 / 3.0,
        1.0,
    ];
    let s = e / (2.0 + e);
    let square = s * s;
    let mut sum = ODD_INVERSES[0];
    for c in &ODD_INVERSES[1..] {
        sum = sum * square + c;
    }
    2.0 * s * sum
}

#[cfg(test)]
mod tests;
