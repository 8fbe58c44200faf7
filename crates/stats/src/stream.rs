//! Numbered random streams: one per purpose and replicate, the same on every machine and for every number of threads.
//!
//! A stream is ChaCha with 12 rounds. Its key is the seed, spread over 32 bytes by four steps of SplitMix64 (little endian); its
//! 64-bit stream number is `(purpose << 32) | replicate`. Two purposes or two replicates never share a draw, and a replicate needs no
//! other replicate to be drawn first. The numbers are frozen: published intervals depend on them.

use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What random numbers are drawn for; the number of each purpose is part of every published result and never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Clusters of queries, for intervals of scores.
    ScoreBootstrap = 1,
    /// Clusters of queries, for intervals of abilities.
    AbilityBootstrap = 2,
    /// Labels simulated from a fit.
    ParametricBootstrap = 3,
    /// Items within queries, as the source resamples them.
    SourceBootstrap = 4,
    /// Items, for intervals of attrition.
    AttritionBootstrap = 5,
    /// Random banks, the baseline of assembly.
    RandomBank = 6,
    /// Simulated panels.
    Simulation = 7,
    /// Abilities from the normal approximation of their posterior.
    PosteriorDraws = 8,
    /// Units, for intervals of agreement.
    AgreementBootstrap = 9,
}

/// A reproducible sequence of random draws.
#[derive(Clone, Debug)]
pub struct Stream {
    rng: ChaCha12Rng,
}

impl Stream {
    /// The stream of one `replicate` (from 0) for one `purpose` under `seed`.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose, replicate: u32) -> Self {
        let mut rng = ChaCha12Rng::from_seed(key(seed));
        rng.set_stream((purpose as u64) << 32 | u64::from(replicate));
        Self { rng }
    }

    /// A uniform number in [0, 1) on the grid of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1u64 << 53) as f64;
        (self.rng.next_u64() >> 11) as f64 * STEP
    }

    /// A uniform index in 0..`n`, without bias.
    ///
    /// # Panics
    /// If `n` is 0: there is nothing to draw from.
    ///
    /// Source: Lemire 2019, "Fast random integer generation in an interval", algorithm 5.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "an index is drawn from a set that is not empty");
        let n = n as u64;
        let mut product = u128::from(self.rng.next_u64()) * u128::from(n);
        // The low half is the position inside one index's share of the 2^64 numbers; shares that are one too large are cut.
        let excess = n.wrapping_neg() % n;
        while (product as u64) < excess {
            product = u128::from(self.rng.next_u64()) * u128::from(n);
        }
        (product >> 64) as usize
    }

    /// True with probability `p`; `p` below 0 counts as 0, above 1 as 1.
    pub fn bernoulli(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// A standard normal number by inversion of one uniform draw, moved to the middle of its cell so that it is never 0.
    ///
    /// Source: Wichura 1988, algorithm AS 241 (PPND16), relative accuracy about 1e-16.
    pub fn normal(&mut self) -> f64 {
        const HALF_STEP: f64 = 0.5 / (1u64 << 53) as f64;
        normal_quantile(self.uniform() + HALF_STEP)
    }
}

/// Four steps of SplitMix64 from `seed`, little endian.
fn key(seed: u64) -> [u8; 32] {
    let mut state = seed;
    let mut bytes = [0; 32];
    for word in bytes.chunks_exact_mut(8) {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes());
    }
    bytes
}

/// The standard normal quantile at `p` in (0, 1).
///
/// Source: Wichura 1988, algorithm AS 241 (PPND16).
pub(crate) fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&CENTRE_NUMERATOR, r) / polynomial(&CENTRE_DENOMINATOR, r);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let size = if r <= 5.0 {
        polynomial(&NEAR_NUMERATOR, r - 1.6) / polynomial(&NEAR_DENOMINATOR, r - 1.6)
    } else {
        polynomial(&FAR_NUMERATOR, r - 5.0) / polynomial(&FAR_DENOMINATOR, r - 5.0)
    };
    size.copysign(q)
}

fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

const CENTRE_NUMERATOR: [f64; 8] = [
    3.387_132_872_796_366_5,
    1.331_416_678_917_843_8e2,
    1.971_590_950_306_551_3e3,
    1.373_169_376_550_946e4,
    4.592_195_393_154_987e4,
    6.726_577_092_700_87e4,
    3.343_057_558_358_813e4,
    2.509_080_928_730_122_7e3,
];
const CENTRE_DENOMINATOR: [f64; 8] = [
    1.0,
    4.231_333_070_160_091e1,
    6.871_870_074_920_579e2,
    5.394_196_021_424_751e3,
    2.121_379_430_158_659_7e4,
    3.930_789_580_009_271e4,
    2.872_908_573_572_194_3e4,
    5.226_495_278_852_854e3,
];
const NEAR_NUMERATOR: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    2.417_807_251_774_506e-1,
    2.272_384_498_926_918_4e-2,
    7.745_450_142_783_414e-4,
];
const NEAR_DENOMINATOR: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    6.897_673_349_851e-1,
    1.481_039_764_274_800_8e-1,
    1.519_866_656_361_645_7e-2,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_9e-9,
];
const FAR_NUMERATOR: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    2.965_605_718_285_048_7e-1,
    2.653_218_952_657_612_4e-2,
    1.242_660_947_388_078_4e-3,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const FAR_DENOMINATOR: [f64; 8] = [
    1.0,
    5.998_322_065_558_88e-1,
    1.369_298_809_227_358e-1,
    1.487_536_129_085_061_5e-2,
    7.868_691_311_456_133e-4,
    1.846_318_317_510_054_7e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_8e-15,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of four streams and the first indices below 10, computed by an independent implementation of the module's
    /// description in another language. Published results depend on them: they never change.
    #[test]
    fn frozen_vectors() {
        type Vector = (u64, Purpose, u32, [u64; 3], [usize; 8]);
        let vectors: [Vector; 4] = [
            (
                0,
                Purpose::ScoreBootstrap,
                0,
                [0x1311_d345_33c9_a0d4, 0xe14f_319a_52a4_0f30, 0xe527_d4bf_5041_ce08],
                [0, 8, 8, 8, 1, 6, 9, 9],
            ),
            (
                1,
                Purpose::ScoreBootstrap,
                1,
                [0xaea9_dcc1_4b8a_e84c, 0x7806_6c63_004a_c4e0, 0xff22_1d85_844a_2bb6],
                [6, 4, 9, 7, 1, 9, 4, 1],
            ),
            (
                42,
                Purpose::Simulation,
                3,
                [0x25c2_3429_1d32_93db, 0xd2bc_8d75_5374_e035, 0x6c21_735c_2b8e_2252],
                [1, 8, 4, 0, 4, 8, 1, 0],
            ),
            (
                u64::MAX,
                Purpose::AbilityBootstrap,
                u32::MAX,
                [0xecad_6009_466e_e567, 0x24d9_15c1_603f_81e4, 0xf431_cea4_f588_4108],
                [9, 1, 9, 4, 1, 3, 5, 9],
            ),
        ];
        for (seed, purpose, replicate, words, indices) in vectors {
            let mut stream = Stream::new(seed, purpose, replicate);
            let uniforms = words.map(|word| (word >> 11) as f64 / (1u64 << 53) as f64);
            assert_eq!(uniforms.map(|_| stream.uniform()), uniforms, "seed {seed}");
            let mut stream = Stream::new(seed, purpose, replicate);
            assert_eq!(indices.map(|_| stream.below(10)), indices, "seed {seed}");
        }
    }

    #[test]
    fn numbers_of_purposes_are_frozen() {
        let numbers = [
            Purpose::ScoreBootstrap,
            Purpose::AbilityBootstrap,
            Purpose::ParametricBootstrap,
            Purpose::SourceBootstrap,
            Purpose::AttritionBootstrap,
            Purpose::RandomBank,
            Purpose::Simulation,
            Purpose::PosteriorDraws,
            Purpose::AgreementBootstrap,
        ]
        .map(|purpose| purpose as u32);
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn normal_quantiles() {
        // scipy 1.17.1, scipy.stats.norm.ppf; the tolerance is a few units in the last place of the largest.
        const TOLERANCE: f64 = 4e-15;
        let cases = [
            (1e-10, -6.361_340_902_404_056),
            (0.001, -3.090_232_306_167_813),
            (0.02, -2.053_748_910_631_823),
            (0.3, -0.524_400_512_708_040_9),
            (0.5, 0.0),
            (0.6, 0.253_347_103_135_799_7),
            (0.99, 2.326_347_874_040_841),
        ];
        for (p, expected) in cases {
            assert!((normal_quantile(p) - expected).abs() < TOLERANCE, "p {p}");
        }
    }

    #[test]
    fn draws_have_their_moments() {
        // Standard errors over n draws: 1/sqrt(n) for a normal mean, sqrt(2/n) for its variance, sqrt(p q / n) for a share.
        const DRAWS: usize = 200_000;
        let within = |found: f64, expected: f64, error: f64| (found - expected).abs() < 5.0 * error;
        let n = DRAWS as f64;
        let mut stream = Stream::new(7, Purpose::Simulation, 0);
        let normals: Vec<f64> = (0..DRAWS).map(|_| stream.normal()).collect();
        let mean = normals.iter().sum::<f64>() / n;
        let square = normals.iter().map(|z| z * z).sum::<f64>() / n;
        assert!(within(mean, 0.0, 1.0 / n.sqrt()), "mean {mean}");
        assert!(within(square, 1.0, (2.0 / n).sqrt()), "mean square {square}");
        let hits = (0..DRAWS).filter(|_| stream.bernoulli(0.3)).count() as f64 / n;
        assert!(within(hits, 0.3, (0.3 * 0.7 / n).sqrt()), "share {hits}");
        let sevens = (0..DRAWS).filter(|_| stream.below(12) == 7).count() as f64 / n;
        let share = 1.0 / 12.0;
        assert!(
            within(sevens, share, (share * (1.0 - share) / n).sqrt()),
            "share {sevens}"
        );
    }
}
