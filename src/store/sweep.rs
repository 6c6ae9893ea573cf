//! Batch mode (Manku 2007, 3.3): many queries at once, by one sequential pass over all stored
//! fingerprints.

mod close;
mod index;

mod prefix;
mod sieve;
pub use index::QueryIndex;

/// Temp
pub fn temp_scan(index: &QueryIndex, values: &[u64]) -> (u64, u64) {
    let mut sieve = sieve::Sieve::new(index);
    let mut n = 0;
    let mut sum = 0u64;
    let mut found = |q: u64, v: u64| -> Result<(), ()> { n += 1; sum = sum.wrapping_add(v ^ q); Ok(()) };
    for chunk in values.chunks(744) { let _ = sieve.push(chunk, &mut found); }
    let _ = sieve.finish(&mut found);
    (n, sum)
}
