//! Prefetching into the cache of the processor.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "an instruction without a safe name"))]

/// Prefetches the cache line of an item; an index out of range is harmless.
#[inline(always)]
pub fn prefetch<T>(items: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(items.as_ptr().wrapping_add(index).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, index);
}
