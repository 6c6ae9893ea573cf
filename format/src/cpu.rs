//! Inner loops that are compiled for two kinds of processors; the choice is made while the program runs.
//!
//! A program for x86-64 may only use the instructions of the first processors of that kind. With those of 2013 (Intel
//! Haswell, AMD Zen: AVX2, BMI2, POPCNT), the loops of probes, batches and sketches are faster: [`run`] compiles them
//! a second time and takes that version where it can. Compiled for such a processor from the start (`-C
//! target-cpu=x86-64-v3`), a program has this version alone. On other architectures there is one version, too.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "a call to a function that only some processors can run")
)]

/// A computation that [`run`] compiles twice. Its method, and whatever takes its time, must be `#[inline(always)]`:
/// what is not inlined is compiled once, for all processors.
pub trait Compute {
    /// The result.
    type Output;

    /// Computes the result.
    fn compute(self) -> Self::Output;
}

/// Computes with the instructions that this processor has.
#[inline]
pub fn run<C: Compute>(computation: C) -> C::Output {
    #[cfg(target_arch = "x86_64")]
    if has_all() {
        // SAFETY: the processor has the instructions.
        return unsafe { with_all(computation) };
    }
    computation.compute()
}

/// Returns the name of the version that [`run`] takes here.
pub fn version() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if has_all() {
        return "x86-64-v3";
    }
    std::env::consts::ARCH
}

/// Whether the processor has the instructions of x86-64-v3 that the loops use.
#[cfg(target_arch = "x86_64")]
#[inline]
fn has_all() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_all<C: Compute>(computation: C) -> C::Output {
    computation.compute()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum<'a>(&'a [u64]);

    impl Compute for Sum<'_> {
        type Output = u32;

        #[inline(always)]
        fn compute(self) -> u32 {
            self.0.iter().map(|number| number.count_ones()).sum()
        }
    }

    #[test]
    fn both_versions_compute_the_same() {
        let numbers: Vec<u64> = (0..1000u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        assert_eq!(run(Sum(&numbers)), Sum(&numbers).compute());
    }
}
