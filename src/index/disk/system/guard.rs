//! The SIGBUS guard: a mapped file that has been truncated, or cannot be read, does not kill the process.
//!
//! A handler maps a page of zeros over the page that faulted and marks the mapping; zeros fail their checksum, and a
//! query tests the mark after decoding. Faults elsewhere are passed to the previous handler.
#![expect(unsafe_code, reason = "signal handlers and memory maps")]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Maximum number of mappings guarded at a time; a database of a thousand runs of twenty tables has 21,000.
const SLOTS: usize = 1 << 16;

struct Slot {
    start: AtomicUsize,
    size: AtomicUsize,
    marked: AtomicBool,
}

static TABLE: [Slot; SLOTS] =
    [const { Slot { start: AtomicUsize::new(0), size: AtomicUsize::new(0), marked: AtomicBool::new(false) } }; SLOTS];
/// Slots from this index on were never used.
static USED: AtomicUsize = AtomicUsize::new(0);
/// The previous handler, such as that of a host's crash reporter.
static FORMER: OnceLock<libc::sigaction> = OnceLock::new();

/// A guarded range of addresses; dropping it ends the guard.
#[derive(Debug)]
pub(in super::super) struct Guard {
    slot: usize,
}

impl Guard {
    /// Guards a mapping. `None` if all slots are taken.
    pub(in super::super) fn new(start: usize, size: usize) -> Option<Self> {
        FORMER.get_or_init(install);
        for (slot, entry) in TABLE.iter().enumerate() {
            // A slot is claimed by its start; the handler sees it once it has a size.
            if entry.start.compare_exchange(0, start, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                entry.marked.store(false, Ordering::Relaxed);
                USED.fetch_max(slot + 1, Ordering::AcqRel);
                entry.size.store(size, Ordering::Release);
                return Some(Self { slot });
            }
        }
        None
    }

    /// Returns whether a page of the mapping could not be read.
    #[inline]
    pub(in super::super) fn is_marked(&self) -> bool {
        TABLE[self.slot].marked.load(Ordering::Relaxed)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        TABLE[self.slot].size.store(0, Ordering::Release);
        TABLE[self.slot].start.store(0, Ordering::Release);
    }
}

/// Returns the size of a page of this system: 4 KB, or 16 or 64 KB on some aarch64 systems. A signal handler may call
/// it.
pub(super) fn page_size() -> usize {
    // SAFETY: the call only reads what the kernel told the process.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

/// Installs the handler; returns the previous one.
fn install() -> libc::sigaction {
    // SAFETY: the handler only reads atomics and calls mmap and sigaction, which a signal handler may do in
    // practice on Linux; the structures are filled completely.
    unsafe {
        let mut former: libc::sigaction = std::mem::zeroed();
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGBUS, &action, &mut former);
        former
    }
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel hands a valid siginfo to a SA_SIGINFO handler.
    let address = unsafe { (*info).si_addr() } as usize;
    let used = USED.load(Ordering::Acquire);
    for entry in &TABLE[..used] {
        let (size, start) = (entry.size.load(Ordering::Acquire), entry.start.load(Ordering::Acquire));
        if size == 0 || address < start || address - start >= size {
            continue;
        }
        entry.marked.store(true, Ordering::Release);
        let size = page_size();
        let page = address & !(size - 1);
        // SAFETY: the page lies within a mapping of ours, which is only ever read.
        let patched = unsafe {
            libc::mmap(
                page as *mut libc::c_void,
                size,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if patched != libc::MAP_FAILED {
            return;
        }
    }
    // Not in a guarded mapping.
    match FORMER.get() {
        Some(former) if former.sa_sigaction != libc::SIG_DFL && former.sa_sigaction != libc::SIG_IGN => {
            // SAFETY: without our handler, the kernel would have called this one with these arguments; its flags tell
            // which of the two kinds of functions it is.
            unsafe {
                if former.sa_flags & libc::SA_SIGINFO == 0 {
                    let handler: extern "C" fn(libc::c_int) = std::mem::transmute(former.sa_sigaction);
                    handler(signal);
                } else {
                    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                        std::mem::transmute(former.sa_sigaction);
                    handler(signal, info, context);
                }
            }
        }
        // SAFETY: restores the default action for when the instruction faults again.
        _ => unsafe {
            libc::signal(libc::SIGBUS, libc::SIG_DFL);
        },
    }
}
