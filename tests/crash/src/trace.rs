//! What this process does to the files below a folder: each call that changes something is numbered, written down with
//! its data, and may be made to fail, or to be the last one.

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;

use libc::ssize_t;

/// A call, or a note between two calls.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A new file, known by a number from here on, whatever its names.
    Create(PathBuf, usize),
    MakeFolder(PathBuf),
    /// The file, the place, the bytes.
    Write(usize, u64, Arc<[u8]>),
    Truncate(usize, u64),
    SyncFile(usize),
    /// A sync of a file fails: the writes before it never become durable, whatever later syncs return.
    FailSync(usize),
    SyncFolder(PathBuf),
    Rename(PathBuf, PathBuf),
    Link(PathBuf, PathBuf),
    Remove(PathBuf),
    /// The deed with this index begins.
    Begin(usize),
    /// The deed with this index is acknowledged.
    Done(usize),
}

impl Event {
    /// Says in a few words what it is.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Write(file, offset, data) => format!("write of {} bytes at {offset} to file {file}", data.len()),
            other => format!("{other:?}"),
        }
    }
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The process ends before it.
    EndBefore,
    /// The process ends in the middle of it, if it writes; otherwise before it.
    EndWithin,
    /// The process ends behind it.
    EndAfter,
    /// It fails with this error.
    Fail(c_int),
    /// It fails with EIO; it is one that reads, which have numbers of their own.
    FailRead,
    /// It and all later ones that need space fail with ENOSPC; of a write, a half is made before.
    Full,
}

/// How a process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// As by `kill -9`.
    Killed,
    /// With the file system that this descriptor is on: what is not on disk is lost.
    PowerCut(c_int),
}

/// Which call is not made as it should be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// The number of the call, from 1 on.
    pub(crate) call: u64,
    pub(crate) fate: Fate,
    pub(crate) end: End,
}

/// A folder whose calls are traced, until this is dropped.
pub(crate) struct Trace(Arc<Traced>);

#[derive(Debug)]
struct Traced {
    root: PathBuf,
    state: Mutex<TraceState>,
}

#[derive(Debug)]
struct TraceState {
    /// The files, by their present names.
    names: BTreeMap<PathBuf, usize>,
    next_file: usize,
    events: Vec<(Instant, Event)>,
    /// Whether events are kept.
    keeps: bool,
    calls: u64,
    /// The numbers of the calls that make something durable.
    syncs: Vec<u64>,
    /// The number of calls that read files.
    reads: u64,
    plan: Option<Plan>,
    /// Syncs that are left out, by their descriptions: a mistake.
    omits: Option<fn(&str) -> bool>,
    /// The call that was not made as it should be.
    met: Option<String>,
}

#[derive(Clone, Debug)]
enum Handle {
    File(usize),
    /// A file that is only read, and perhaps made durable.
    Read(usize),
    Folder(PathBuf),
}

/// A file or folder that is opened.
pub(crate) struct Opening<'a> {
    pub(crate) folder: c_int,
    pub(crate) path: &'a Path,
    pub(crate) flags: c_int,
}

static TRACING: AtomicUsize = AtomicUsize::new(0);
static TRACES: RwLock<Vec<Arc<Traced>>> = RwLock::new(Vec::new());
static HANDLES: RwLock<Option<Handles>> = RwLock::new(None);

/// The descriptors of traced files and folders.
type Handles = HashMap<c_int, (Arc<Traced>, Handle)>;

/// The ioctl that ends a file system as it is, and its flag not to write the journal.
const SHUTDOWN: libc::c_ulong = 0x8004_587d;
const WITHOUT_JOURNAL: u32 = 2;

impl Trace {
    /// Traces the calls below a folder, whose files are numbered as [`crate::disk::Disk::of`] numbers them. Events are
    /// written down if `keeps`.
    pub(crate) fn begin(root: &Path, keeps: bool, plan: Option<Plan>) -> Self {
        let root = root.canonicalize().expect("the folder exists");
        let names: BTreeMap<PathBuf, usize> = crate::disk::files_below(&root).into_iter().zip(0..).collect();
        let next_file = names.len();
        let state = TraceState {
            names,
            next_file,
            events: Vec::new(),
            keeps,
            calls: 0,
            syncs: Vec::new(),
            reads: 0,
            plan,
            omits: None,
            met: None,
        };
        let traced = Arc::new(Traced { root, state: Mutex::new(state) });
        TRACES.write().unwrap_or_else(PoisonError::into_inner).push(traced.clone());
        TRACING.fetch_add(1, Ordering::AcqRel);
        Self(traced)
    }

    /// Writes down a note.
    pub(crate) fn note(&self, event: Event) {
        let mut state = self.0.lock();
        if state.keeps {
            state.events.push((Instant::now(), event));
        }
    }

    /// Returns the number of calls so far.
    pub(crate) fn calls(&self) -> u64 {
        self.0.lock().calls
    }

    /// Returns the numbers of the calls so far that make something durable.
    pub(crate) fn syncs(&self) -> Vec<u64> {
        self.0.lock().syncs.clone()
    }

    /// Returns the number of calls so far that read files.
    pub(crate) fn reads(&self) -> u64 {
        self.0.lock().reads
    }

    /// Returns what the call was that was not made as it should be, if it has been met.
    pub(crate) fn met(&self) -> Option<String> {
        self.0.lock().met.clone()
    }

    /// Leaves syncs out, as if they had been forgotten, by their descriptions.
    pub(crate) fn omit(&self, omits: Option<fn(&str) -> bool>) {
        self.0.lock().omits = omits;
    }

    /// Makes all calls from here on as they should be.
    pub(crate) fn lift(&self) {
        self.0.lock().plan = None;
    }

    /// Returns the events so far.
    pub(crate) fn events(&self) -> Vec<(Instant, Event)> {
        self.0.lock().events.clone()
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        TRACES.write().unwrap_or_else(PoisonError::into_inner).retain(|other| !Arc::ptr_eq(other, &self.0));
        if let Some(handles) = HANDLES.write().unwrap_or_else(PoisonError::into_inner).as_mut() {
            handles.retain(|_, (traced, _)| !Arc::ptr_eq(traced, &self.0));
        }
        TRACING.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Traced {
    fn lock(&self) -> MutexGuard<'_, TraceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call that changes something, unless it is to fail. `needs_space` says whether a full disk matters.
    fn make(
        &self,
        describe: &dyn Fn() -> String,
        needs_space: bool,
        call: impl FnOnce() -> c_int,
        event: impl FnOnce(&mut TraceState, c_int) -> Event,
    ) -> c_int {
        let mut state = self.lock();
        let fate = state.count(describe, needs_space);
        if let Some((Fate::EndBefore | Fate::EndWithin, end)) = fate {
            end.come();
        }
        if let Some((Fate::Fail(_) | Fate::Full, _)) = fate {
            let error = if let Some((Fate::Fail(error), _)) = fate { error } else { libc::ENOSPC };
            return fail(error);
        }
        let outcome = call();
        if outcome >= 0 {
            let event = event(&mut state, outcome);
            state.push(event);
        }
        if let Some((Fate::EndAfter, end)) = fate {
            end.come();
        }
        outcome
    }
}

impl TraceState {
    fn push(&mut self, event: Event) {
        if self.keeps {
            self.events.push((Instant::now(), event));
        }
    }

    /// Numbers a call. Returns its fate if it is not to be made as it should be.
    fn count(&mut self, describe: &dyn Fn() -> String, needs_space: bool) -> Option<(Fate, End)> {
        self.calls += 1;
        let plan = self.plan?;
        let is_meant = match plan.fate {
            Fate::Full => self.calls >= plan.call && needs_space,
            Fate::FailRead => false,
            _ => self.calls == plan.call,
        };
        if is_meant && self.met.is_none() {
            self.met = Some(describe());
        }
        is_meant.then_some((plan.fate, plan.end))
    }

    /// Gives the file or folder at a path another name.
    fn move_names(&mut self, from: &Path, to: &Path) {
        let below: Vec<PathBuf> = self.names.keys().filter(|path| path.starts_with(from)).cloned().collect();
        for path in below {
            if let (Some(file), Ok(rest)) = (self.names.remove(&path), path.strip_prefix(from)) {
                let new = if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) };
                self.names.insert(new, file);
            }
        }
    }
}

impl End {
    /// Ends the process.
    fn come(self) -> ! {
        // SAFETY: the calls take numbers and an address that is valid.
        unsafe {
            if let Self::PowerCut(folder) = self {
                let flag = WITHOUT_JOURNAL;
                libc::ioctl(folder, SHUTDOWN, &raw const flag);
            }
            libc::kill(libc::getpid(), libc::SIGKILL);
            loop {
                libc::pause();
            }
        }
    }
}

fn fail(error: c_int) -> c_int {
    // SAFETY: the address is that of this thread's error number.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// Returns the trace that a path belongs to, and the path from the root of the file system on.
fn traced_at(folder: c_int, path: &Path) -> Option<(Arc<Traced>, PathBuf)> {
    if TRACING.load(Ordering::Acquire) == 0 {
        return None;
    }
    let path = match folder {
        libc::AT_FDCWD => path.to_owned(),
        folder => Path::new(&format!("/proc/self/fd/{folder}")).join(path),
    };
    let whole = match path.file_name() {
        Some(name) => {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            parent.canonicalize().ok()?.join(name)
        }
        None => path.canonicalize().ok()?,
    };
    let traces = TRACES.read().unwrap_or_else(PoisonError::into_inner);
    let traced = traces.iter().find(|traced| whole.starts_with(&traced.root)).cloned();
    traced.map(|traced| (traced, whole))
}

fn handle(handle: c_int) -> Option<(Arc<Traced>, Handle)> {
    if TRACING.load(Ordering::Acquire) == 0 {
        return None;
    }
    HANDLES.read().unwrap_or_else(PoisonError::into_inner).as_ref()?.get(&handle).cloned()
}

fn set_handle(number: c_int, to: Option<(Arc<Traced>, Handle)>) {
    let mut handles = HANDLES.write().unwrap_or_else(PoisonError::into_inner);
    match to {
        Some(to) => drop(handles.get_or_insert_default().insert(number, to)),
        None => drop(handles.as_mut().and_then(|handles| handles.remove(&number))),
    }
}

/// A file or folder is opened.
pub(crate) fn open(opening: Opening<'_>, call: impl FnOnce() -> c_int) -> c_int {
    if TRACING.load(Ordering::Acquire) == 0 {
        return call();
    }
    let Some((traced, path)) = traced_at(opening.folder, opening.path) else {
        let number = call();
        set_handle(number, None);
        return number;
    };
    let is_writable = opening.flags & libc::O_ACCMODE != libc::O_RDONLY;
    let known = traced.lock().names.get(&path).copied();
    let number = match known {
        // Opening it changes something only if it loses its contents.
        Some(file) if is_writable && opening.flags & libc::O_TRUNC != 0 => {
            let what = || format!("truncate {}", path.display());
            traced.make(&what, false, call, |_, _| Event::Truncate(file, 0))
        }
        None if is_writable && opening.flags & libc::O_CREAT != 0 => {
            let what = || format!("create {}", path.display());
            traced.make(&what, true, call, |state, _| {
                let file = state.next_file;
                state.next_file += 1;
                state.names.insert(path.clone(), file);
                Event::Create(path.clone(), file)
            })
        }
        _ => call(),
    };
    if number >= 0 {
        let file = traced.lock().names.get(&path).copied();
        let handle = match file {
            Some(file) if is_writable => Some(Handle::File(file)),
            Some(file) => Some(Handle::Read(file)),
            // What has no number is a folder, or a file of another process.
            None => path.is_dir().then_some(Handle::Folder(path)),
        };
        set_handle(number, handle.map(|handle| (traced, handle)));
    }
    number
}

/// A descriptor is closed.
pub(crate) fn close(number: c_int) {
    if handle(number).is_some() {
        set_handle(number, None);
    }
}

/// Bytes are written, of which `data` returns the first ones; at the position of the descriptor if there is no offset.
pub(crate) fn write(
    number: c_int,
    offset: Option<u64>,
    size: usize,
    data: &dyn Fn(usize) -> Vec<u8>,
    mut call: impl FnMut(usize) -> ssize_t,
) -> ssize_t {
    let Some((traced, Handle::File(file))) = handle(number) else { return call(size) };
    let mut state = traced.lock();
    let what = || format!("write of {size} bytes to {}", name_of(number));
    let fate = state.count(&what, true);
    let mut note = |state: &mut TraceState, size: usize| {
        let written = call(size);
        if written > 0 {
            let end = || {
                // SAFETY: the call takes numbers.
                unsafe { libc::lseek64(number, 0, libc::SEEK_CUR) as u64 }
            };
            let begin = offset.unwrap_or_else(|| end() - written as u64);
            if state.keeps {
                state.push(Event::Write(file, begin, data(written as usize).into()));
            }
        }
        written
    };
    match fate {
        None => note(&mut state, size),
        Some((Fate::EndBefore, end)) => end.come(),
        Some((Fate::EndWithin, end)) => {
            note(&mut state, size / 2);
            end.come()
        }
        Some((Fate::EndAfter, end)) => {
            note(&mut state, size);
            end.come()
        }
        Some((Fate::Fail(error), _)) => fail(error) as ssize_t,
        // The first one is short, the next ones fail.
        Some((Fate::Full, _)) if size > 1 && state.plan.is_some_and(|plan| plan.call == state.calls) => {
            note(&mut state, size / 2)
        }
        Some((Fate::Full | Fate::FailRead, _)) => fail(libc::ENOSPC) as ssize_t,
    }
}

/// Bytes are read.
pub(crate) fn read(number: c_int, call: impl FnOnce() -> ssize_t) -> ssize_t {
    let Some((traced, Handle::File(_) | Handle::Read(_))) = handle(number) else { return call() };
    let mut state = traced.lock();
    state.reads += 1;
    if state.plan.is_some_and(|plan| plan.fate == Fate::FailRead && plan.call == state.reads) {
        state.met = Some(format!("read of {}", name_of(number)));
        return fail(libc::EIO) as ssize_t;
    }
    drop(state);
    call()
}

fn name_of(number: c_int) -> String {
    let path = std::fs::read_link(format!("/proc/self/fd/{number}"));
    path.map_or_else(|_| "a file".into(), |path| path.display().to_string())
}

/// A file gets another length.
pub(crate) fn truncate(number: c_int, length: u64, call: impl FnOnce() -> c_int) -> c_int {
    let Some((traced, Handle::File(file))) = handle(number) else { return call() };
    let what = || format!("truncate {} to {length}", name_of(number));
    traced.make(&what, false, call, |_, _| Event::Truncate(file, length))
}

/// A file or folder is made durable.
pub(crate) fn sync(number: c_int, call: impl FnOnce() -> c_int) -> c_int {
    let Some((traced, handle)) = handle(number) else { return call() };
    let what = || format!("sync {}", name_of(number));
    if traced.lock().omits.is_some_and(|omits| omits(&what())) {
        return 0;
    }
    let outcome = traced.make(&what, false, call, |state, _| {
        state.syncs.push(state.calls);
        match &handle {
            Handle::File(file) | Handle::Read(file) => Event::SyncFile(*file),
            Handle::Folder(path) => Event::SyncFolder(path.clone()),
        }
    });
    if let (-1, Handle::File(file) | Handle::Read(file)) = (outcome, handle) {
        traced.lock().push(Event::FailSync(file));
    }
    outcome
}

/// A file or folder gets another name.
pub(crate) fn rename(from: &Path, to: &Path, call: impl FnOnce() -> c_int) -> c_int {
    let (from, to) = match (traced_at(libc::AT_FDCWD, from), traced_at(libc::AT_FDCWD, to)) {
        (Some((traced, from)), Some((other, to))) if Arc::ptr_eq(&traced, &other) => ((traced, from), to),
        _ => return call(),
    };
    let ((traced, from), to) = (from, to);
    let what = || format!("rename {} to {}", from.display(), to.display());
    traced.make(&what, true, call, |state, _| {
        state.move_names(&from, &to);
        Event::Rename(from.clone(), to.clone())
    })
}

/// A file gets a second name.
pub(crate) fn link(from: &Path, to: &Path, call: impl FnOnce() -> c_int) -> c_int {
    let (Some((_, from)), Some((traced, to))) = (traced_at(libc::AT_FDCWD, from), traced_at(libc::AT_FDCWD, to)) else {
        return call();
    };
    let what = || format!("link {} to {}", from.display(), to.display());
    traced.make(&what, true, call, |state, _| {
        if let Some(file) = state.names.get(&from).copied() {
            state.names.insert(to.clone(), file);
        }
        Event::Link(from.clone(), to.clone())
    })
}

/// A file or an empty folder loses its name.
pub(crate) fn remove(folder: c_int, path: &Path, call: impl FnOnce() -> c_int) -> c_int {
    let Some((traced, path)) = traced_at(folder, path) else { return call() };
    let what = || format!("remove {}", path.display());
    traced.make(&what, false, call, |state, _| {
        state.names.remove(&path);
        Event::Remove(path.clone())
    })
}

/// A folder is made.
pub(crate) fn make_folder(path: &Path, call: impl FnOnce() -> c_int) -> c_int {
    let Some((traced, path)) = traced_at(libc::AT_FDCWD, path) else { return call() };
    let what = || format!("make the folder {}", path.display());
    traced.make(&what, true, call, |_, _| Event::MakeFolder(path.clone()))
}
