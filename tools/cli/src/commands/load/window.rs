//! `--max-window`: the memory that decoders of zstd files may take.

use crate::args::Global;
use crate::failure::{Code, Result, Told};
use crate::quantity;

/// The option.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct MaxWindow {
    /// The largest zstd window of a file, up to 2G: the memory that reading it takes, which beyond 128M is part of
    /// --memory-limit. Files made with zstd --long=31, such as the dumps of Reddit, need 2G
    #[arg(long, value_name = "SIZE", default_value = "128M", value_parser = quantity::size)]
    max_window: u64,
}

impl MaxWindow {
    /// Returns the size in bytes, which is within the memory limit.
    pub(in crate::commands) fn bytes(&self, global: &Global) -> Result<u64> {
        match global.memory_limit {
            Some(limit) if self.max_window > limit.max(USUAL) => {
                let size = quantity::bytes(self.max_window);
                let message = format!("--max-window is {size}, and --memory-limit only {}", quantity::bytes(limit));
                Err(Told::new(Code::Usage, message).hint("raise --memory-limit, or lower --max-window").into())
            }
            _ => Ok(self.max_window),
        }
    }
}

/// The window that is permitted whatever the memory limit.
const USUAL: u64 = 128 << 20;
