//! The storage calls of this process. The functions here have the names of those of the C library and take their
//! place, also for RocksDB: they tell [`trace`] of each call, and make it by the function of the library.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::{iovec, mode_t, off64_t, size_t, ssize_t};

use crate::trace::{self, Opening};

/// Calls the function of the C library with this name and these arguments.
macro_rules! real {
    ($name:ident($($argument:expr => $kind:ty),*) -> $result:ty) => {{
        static REAL: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
        let mut function = REAL.load(Ordering::Relaxed);
        if function.is_null() {
            let name = concat!(stringify!($name), "\0");
            // SAFETY: the name ends with a NUL, and the library stays loaded.
            function = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr().cast()) };
            REAL.store(function, Ordering::Relaxed);
        }
        // SAFETY: the function has this type, and the arguments are those of a caller of it.
        unsafe {
            let function = std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($kind),*) -> $result>(function);
            function($($argument),*)
        }
    }};
}

/// Returns the path that a caller gives.
fn path<'a>(path: *const c_char) -> &'a Path {
    // SAFETY: a path that is given to the C library ends with a NUL.
    Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()))
}

/// Returns the bytes that a caller gives to be written.
fn bytes<'a>(data: *const c_void, size: size_t) -> &'a [u8] {
    // SAFETY: what is given to the C library to be written can be read.
    unsafe { std::slice::from_raw_parts(data.cast(), size) }
}

fn opening(folder: c_int, file: *const c_char, flags: c_int) -> Opening<'static> {
    Opening { folder, path: path(file), flags }
}

#[unsafe(no_mangle)]
extern "C" fn open(file: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    let call = || real!(open(file => *const c_char, flags => c_int, mode => mode_t) -> c_int);
    trace::open(opening(libc::AT_FDCWD, file, flags), call)
}

#[unsafe(no_mangle)]
extern "C" fn open64(file: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    let call = || real!(open64(file => *const c_char, flags => c_int, mode => mode_t) -> c_int);
    trace::open(opening(libc::AT_FDCWD, file, flags), call)
}

#[unsafe(no_mangle)]
extern "C" fn openat(folder: c_int, file: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    let call = || real!(openat(folder => c_int, file => *const c_char, flags => c_int, mode => mode_t) -> c_int);
    trace::open(opening(folder, file, flags), call)
}

#[unsafe(no_mangle)]
extern "C" fn openat64(folder: c_int, file: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    let call = || real!(openat64(folder => c_int, file => *const c_char, flags => c_int, mode => mode_t) -> c_int);
    trace::open(opening(folder, file, flags), call)
}

#[unsafe(no_mangle)]
extern "C" fn close(handle: c_int) -> c_int {
    trace::close(handle);
    real!(close(handle => c_int) -> c_int)
}

#[unsafe(no_mangle)]
extern "C" fn write(handle: c_int, data: *const c_void, size: size_t) -> ssize_t {
    let call = |size| real!(write(handle => c_int, data => *const c_void, size => size_t) -> ssize_t);
    trace::write(handle, None, size, &|size| bytes(data, size).to_vec(), call)
}

#[unsafe(no_mangle)]
extern "C" fn pwrite64(handle: c_int, data: *const c_void, size: size_t, offset: off64_t) -> ssize_t {
    let call =
        |size| real!(pwrite64(handle => c_int, data => *const c_void, size => size_t, offset => off64_t) -> ssize_t);
    trace::write(handle, Some(offset as u64), size, &|size| bytes(data, size).to_vec(), call)
}

#[unsafe(no_mangle)]
extern "C" fn pwrite(handle: c_int, data: *const c_void, size: size_t, offset: off64_t) -> ssize_t {
    pwrite64(handle, data, size, offset)
}

#[unsafe(no_mangle)]
extern "C" fn writev(handle: c_int, parts: *const iovec, len: c_int) -> ssize_t {
    // SAFETY: what is given to the C library to be written can be read.
    let parts = unsafe { std::slice::from_raw_parts(parts, len as usize) };
    // Only the first part: the caller goes on with the rest, as after any short write.
    match parts.iter().find(|part| part.iov_len > 0) {
        Some(part) => write(handle, part.iov_base, part.iov_len),
        None => 0,
    }
}

#[unsafe(no_mangle)]
extern "C" fn ftruncate64(handle: c_int, length: off64_t) -> c_int {
    trace::truncate(handle, length as u64, || real!(ftruncate64(handle => c_int, length => off64_t) -> c_int))
}

#[unsafe(no_mangle)]
extern "C" fn ftruncate(handle: c_int, length: off64_t) -> c_int {
    ftruncate64(handle, length)
}

#[unsafe(no_mangle)]
extern "C" fn fsync(handle: c_int) -> c_int {
    trace::sync(handle, || real!(fsync(handle => c_int) -> c_int))
}

#[unsafe(no_mangle)]
extern "C" fn fdatasync(handle: c_int) -> c_int {
    trace::sync(handle, || real!(fdatasync(handle => c_int) -> c_int))
}

#[unsafe(no_mangle)]
extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    let call = || real!(rename(from => *const c_char, to => *const c_char) -> c_int);
    trace::rename(path(from), path(to), call)
}

#[unsafe(no_mangle)]
extern "C" fn link(from: *const c_char, to: *const c_char) -> c_int {
    let call = || real!(link(from => *const c_char, to => *const c_char) -> c_int);
    trace::link(path(from), path(to), call)
}

#[unsafe(no_mangle)]
extern "C" fn linkat(a: c_int, from: *const c_char, b: c_int, to: *const c_char, flags: c_int) -> c_int {
    let call =
        || real!(linkat(a => c_int, from => *const c_char, b => c_int, to => *const c_char, flags => c_int) -> c_int);
    trace::link(path(from), path(to), call)
}

#[unsafe(no_mangle)]
extern "C" fn unlink(file: *const c_char) -> c_int {
    trace::remove(libc::AT_FDCWD, path(file), || real!(unlink(file => *const c_char) -> c_int))
}

#[unsafe(no_mangle)]
extern "C" fn unlinkat(folder: c_int, file: *const c_char, flags: c_int) -> c_int {
    let call = || real!(unlinkat(folder => c_int, file => *const c_char, flags => c_int) -> c_int);
    trace::remove(folder, path(file), call)
}

#[unsafe(no_mangle)]
extern "C" fn rmdir(folder: *const c_char) -> c_int {
    trace::remove(libc::AT_FDCWD, path(folder), || real!(rmdir(folder => *const c_char) -> c_int))
}

#[unsafe(no_mangle)]
extern "C" fn mkdir(folder: *const c_char, mode: mode_t) -> c_int {
    trace::make_folder(path(folder), || real!(mkdir(folder => *const c_char, mode => mode_t) -> c_int))
}

#[unsafe(no_mangle)]
extern "C" fn read(handle: c_int, data: *mut c_void, size: size_t) -> ssize_t {
    trace::read(handle, || real!(read(handle => c_int, data => *mut c_void, size => size_t) -> ssize_t))
}

#[unsafe(no_mangle)]
extern "C" fn pread64(handle: c_int, data: *mut c_void, size: size_t, offset: off64_t) -> ssize_t {
    let call = || real!(pread64(handle => c_int, data => *mut c_void, size => size_t, offset => off64_t) -> ssize_t);
    trace::read(handle, call)
}

#[unsafe(no_mangle)]
extern "C" fn pread(handle: c_int, data: *mut c_void, size: size_t, offset: off64_t) -> ssize_t {
    pread64(handle, data, size, offset)
}

#[unsafe(no_mangle)]
extern "C" fn fclose(stream: *mut libc::FILE) -> c_int {
    // SAFETY: the stream is open until the call below.
    trace::close(unsafe { libc::fileno(stream) });
    real!(fclose(stream => *mut libc::FILE) -> c_int)
}

#[unsafe(no_mangle)]
extern "C" fn closedir(stream: *mut libc::DIR) -> c_int {
    // SAFETY: the stream is open until the call below.
    trace::close(unsafe { libc::dirfd(stream) });
    real!(closedir(stream => *mut libc::DIR) -> c_int)
}
