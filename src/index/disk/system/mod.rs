//! What each operating system does in its own way. Without its own way of one of these, a system still reads and makes
//! a static index: it is told nothing about the order of reads, and does not know how much space is left.

#[cfg(unix)]
mod guard;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(unix)]
pub(super) use guard::Guard;
#[cfg(not(unix))]
pub(super) use other::*;
#[cfg(unix)]
pub(super) use unix::*;
