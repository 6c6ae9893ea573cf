//! Pairs without a label, written for manual labelling.

use nddb_evaluate::eval::Corpus;
use nddb_jobs::output::Destination;
use nddb_jobs::rows::write_id;
use nddb_jobs::tsv;

use crate::failure::Result;
use crate::output::Output;

/// A label file without labels, for the user to fill in.
pub(super) struct Review {
    output: Output,
}

impl Review {
    /// Begins the file.
    pub(super) fn create(to: &Destination) -> Result<Self> {
        let mut output = Output::create(to)?;
        output.line("id1\tid2\tlabel\tkind\turl1\turl2")?;
        Ok(Self { output })
    }

    /// Writes pairs; their kind is the method that returned them.
    pub(super) fn write(&mut self, corpus: &Corpus, kind: &str, pairs: &[(u32, u32)]) -> Result<()> {
        for &(a, b) in pairs {
            let mut line = Vec::new();
            for id in [a, b] {
                write_id(&mut line, corpus.collection(), id);
                line.push(b'\t');
            }
            line.push(b'\t');
            line.extend_from_slice(kind.as_bytes());
            for id in [a, b] {
                line.push(b'\t');
                tsv::write_text(&mut line, &corpus.url(id)?.unwrap_or_default());
            }
            line.push(b'\n');
            self.output.write(&line)?;
        }
        Ok(())
    }

    /// Completes the file.
    pub(super) fn finish(self) -> Result<()> {
        self.output.finish()
    }
}
