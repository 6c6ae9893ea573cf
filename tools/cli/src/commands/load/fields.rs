//! Options of all commands that load documents: the names of fields and columns, and the memory of zstd decoders.

use nddb::archive::{Format, IdFrom, JsonFields, Located, Options};

use super::unused::{self, Of};
use crate::args::Global;
use crate::failure::{Code, Failure, Result, Told};
use crate::quantity;

/// Names of JSONL fields and of Parquet and CSV columns.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Fields of JSONL and columns of Parquet and CSV inputs (nested: outer.inner)")]
pub(in crate::commands) struct FieldNames {
    /// The id, a string or an integer [default: id]
    #[arg(long, visible_alias = "id-column", value_name = "NAME")]
    id_field: Option<String>,
    /// Plain text, where there is no page: a text, a list of paragraphs, or a chat (messages; messages.user for the
    /// contents of one role); title,body joins fields [default: text, else raw_content, content, messages or
    /// conversations]
    #[arg(long, visible_alias = "text-column", value_name = "NAME")]
    text_field: Option<String>,
    /// An HTML page, where there is no fingerprint [default: html]
    #[arg(long, visible_alias = "html-column", value_name = "NAME")]
    html_field: Option<String>,
    /// A fingerprint of 16 hex digits; in Parquet inputs also a 64-bit integer [default: fp]
    #[arg(long, visible_alias = "fp-column", value_name = "NAME")]
    fp_field: Option<String>,
    /// The address [default: url, else metadata.url, meta.url or that of another well-known layout]
    #[arg(long, visible_alias = "url-column", value_name = "NAME")]
    url_field: Option<String>,
    /// When the document was made or fetched; a date that is not understood, such as 03/04/2024, is left out [default:
    /// date, else timestamp, created or that of another well-known layout]
    #[arg(long, visible_alias = "date-column", value_name = "NAME")]
    date_field: Option<String>,
}

impl FieldNames {
    /// Returns options with these names, and the defaults of all others.
    pub(in crate::commands) fn options(&self) -> Options {
        let named = |given: &Option<String>, usual: &str| given.clone().unwrap_or_else(|| usual.into());
        let all =
            [&self.id_field, &self.text_field, &self.html_field, &self.fp_field, &self.url_field, &self.date_field];
        Options {
            fields: JsonFields {
                id: named(&self.id_field, "id"),
                text: named(&self.text_field, "text"),
                html: named(&self.html_field, "html"),
                fp: named(&self.fp_field, "fp"),
                url: named(&self.url_field, "url"),
            },
            date: self.date_field.clone(),
            required: all.into_iter().flatten().cloned().collect(),
            ..Options::default()
        }
    }

    /// Refuses names and a source of ids that no input looks at, and two sources of ids.
    pub(in crate::commands) fn check(&self, id: Option<IdFrom>, format: Format, inputs: &[Located]) -> Result<()> {
        let of_some_inputs = [
            ("--id", matches!(id, Some(IdFrom::Record | IdFrom::Url)), Of::Archives),
            ("--id-field", self.id_field.is_some(), Of::Fields),
            ("--text-field", self.text_field.is_some(), Of::Fields),
            ("--html-field", self.html_field.is_some(), Of::Fields),
            ("--fp-field", self.fp_field.is_some(), Of::Fields),
            ("--url-field", self.url_field.is_some(), Of::Fields),
            ("--date-field", self.date_field.is_some(), Of::Fields),
        ];
        unused::refuse(&of_some_inputs, format, inputs)?;
        match id {
            Some(id) if id.is_place() && self.id_field.is_some() => {
                Err(Failure::usage(format!("--id {id} and --id-field exclude each other")))
            }
            _ => Ok(()),
        }
    }
}

/// The option `--max-window`.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct MaxWindow {
    /// The largest zstd window of a file, up to 2G: the memory that reading it takes. Files made with zstd --long=31
    /// need 2G
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
