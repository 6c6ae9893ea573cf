//! Arrow files and streams: types, compressions, dictionaries, resuming, and damage.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, StructBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, DictionaryArray, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
    StringViewArray, StructArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field};

use super::*;

/// How a table is written.
#[derive(Clone, Copy, Debug)]
struct Written {
    is_stream: bool,
    compression: Option<CompressionType>,
}

const ALL: [Written; 4] = [
    Written { is_stream: false, compression: None },
    Written { is_stream: false, compression: Some(CompressionType::LZ4_FRAME) },
    Written { is_stream: false, compression: Some(CompressionType::ZSTD) },
    Written { is_stream: true, compression: None },
];

fn written(batches: &[RecordBatch], how: Written) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(how.compression).expect("it is there");
    let options = options.with_dictionary_handling(DictionaryHandling::Resend);
    let schema = batches[0].schema();
    if how.is_stream {
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &schema, options).expect("a schema");
        batches.iter().for_each(|batch| writer.write(batch).expect("writes to memory"));
        return writer.into_inner().expect("writes to memory");
    }
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, options).expect("a schema");
    batches.iter().for_each(|batch| writer.write(batch).expect("writes to memory"));
    writer.into_inner().expect("writes to memory")
}

fn table(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    let columns = columns.iter().map(|(name, column)| (*name, column.clone(), true));
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

fn plain(columns: &[(&str, ArrayRef)]) -> Vec<u8> {
    written(&[table(columns)], ALL[0])
}

fn strings<'a>(values: impl IntoIterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn text(row: usize) -> String {
    let mut random = Random(row as u64 + 1);
    (0..5 + row % 40).map(|_| format!("{:x} ", random.next() >> 40)).collect()
}

/// Returns a table of so many rows, in batches of 37, each with a dictionary of its own.
fn many(rows: usize, how: Written) -> Vec<u8> {
    let batch = |from: usize| {
        let rows = from..rows.min(from + 37);
        let ids = StringArray::from_iter_values(rows.clone().map(|row| format!("id-{row}")));
        let urls: DictionaryArray<Int32Type> = rows
            .clone()
            .map(|row| Some(format!("https://example.org/{}", row % 7)))
            .collect::<Vec<_>>()
            .iter()
            .map(Option::as_deref)
            .collect();
        let texts = StringArray::from_iter_values(rows.clone().map(text));
        // A column that nobody reads.
        let others = Float64Array::from_iter_values(rows.map(|row| row as f64));
        let columns: [(&str, ArrayRef); 4] =
            [("other", Arc::new(others)), ("id", Arc::new(ids)), ("url", Arc::new(urls)), ("text", Arc::new(texts))];
        table(&columns)
    };
    let batches: Vec<RecordBatch> = (0..rows).step_by(37).map(batch).collect();
    // The dictionaries of a file are those of all of its batches.
    written(if how.is_stream { &batches } else { &batches[..1] }, how)
}

fn check(entries: &[Entry], rows: usize, what: &str) {
    let pages = found(entries);
    assert_eq!((pages.len(), entries.len()), (rows, rows), "{what}");
    for (row, (entry, page)) in entries.iter().zip(pages).enumerate() {
        assert_eq!((entry.position.offset, entry.position.inner), (row as u64, 0), "{what}");
        assert_eq!(
            (&*page.id, page.url.as_deref()),
            (&*format!("id-{row}"), Some(&*format!("https://example.org/{}", row % 7)))
        );
        assert_eq!((page.kind, &page.body[..]), (PageKind::Text, text(row).as_bytes()), "{what}");
    }
}

#[test]
fn files_and_streams_give_the_same_documents_whatever_their_compression_and_name() {
    for how in ALL {
        let rows = if how.is_stream { 100 } else { 37 };
        let bytes = many(rows, how);
        for name in ["x.arrow", "x.feather", "x"] {
            let input = Input::from_bytes(bytes.clone(), name, &Options::default()).expect("opens");
            assert_eq!(input.format(), Format::Arrow, "{how:?}");
            check(&drain(input), rows, &format!("{how:?} {name}"));
        }
    }
}

#[test]
fn columns_of_all_types_are_read_as_the_fields_of_lines_are() {
    let texts = ["one two three", "", "a text that is too long to stand in a view itself"];
    let columns: [ArrayRef; 4] = [
        Arc::new(LargeStringArray::from_iter_values(texts)),
        Arc::new(StringViewArray::from_iter_values(texts)),
        Arc::new(BinaryArray::from_iter_values(texts)),
        Arc::new(texts.into_iter().collect::<DictionaryArray<Int32Type>>()),
    ];
    for column in columns {
        let bytes = plain(&[("id", strings(["a", "b", "c"])), ("text", column.clone())]);
        let entries = read(&bytes, "x.arrow");
        let bodies: Vec<&[u8]> = found(&entries).iter().map(|page| &page.body[..]).collect();
        assert_eq!(bodies, texts.map(str::as_bytes), "{:?}", column.data_type());
    }
    // Ids that are numbers, times, nested columns, and bytes that are no text.
    let url: ArrayRef = strings(["https://a.example/", "https://b.example/"]);
    let nested = StructArray::from(vec![(Arc::new(Field::new("url", DataType::Utf8, true)), url)]);
    let html = BinaryArray::from_iter_values([&b"<p>words of a page"[..], b"<p>caf\xe9"]);
    let bytes = plain(&[
        ("id", Arc::new(Int64Array::from(vec![7, 8]))),
        ("timestamp", Arc::new(TimestampMicrosecondArray::from(vec![1_700_000_000_999_999, 0]))),
        ("metadata", Arc::new(nested)),
        ("html", Arc::new(html)),
    ]);
    let entries = read(&bytes, "x.arrow");
    let pages = found(&entries);
    assert_eq!((pages.len(), reasons(&entries)), (1, vec![Reason::WrongType]));
    assert_eq!((&*pages[0].id, pages[0].date), (&*nddb::number_id(7), Some(1_700_000_000)));
    assert_eq!((pages[0].kind, pages[0].url.as_deref()), (PageKind::Html, Some("https://a.example/")));
    // Fingerprints are patterns of 64 bits.
    for prints in
        [Arc::new(Int64Array::from(vec![-1, 255])) as ArrayRef, Arc::new(UInt64Array::from(vec![u64::MAX, 255]))]
    {
        let entries = read(&plain(&[("id", strings(["a", "b"])), ("fp", prints)]), "x.arrow");
        let prints: Vec<u64> = entries
            .iter()
            .map(|entry| match entry.content {
                EntryContent::Fingerprint { fingerprint, .. } => fingerprint,
                _ => panic!("{entry:?}"),
            })
            .collect();
        assert_eq!(prints, [u64::MAX, 255]);
    }
}

#[test]
fn chats_and_rows_without_ids_are_documents() {
    let message = StructBuilder::new(
        vec![Field::new("role", DataType::Utf8, true), Field::new("content", DataType::Utf8, true)],
        vec![Box::new(StringBuilder::new()), Box::new(StringBuilder::new())],
    );
    let mut chats = ListBuilder::new(message);
    for (role, content) in [("user", "What is it?"), ("assistant", "A test.")] {
        let message = chats.values();
        message.field_builder::<StringBuilder>(0).expect("a role").append_value(role);
        message.field_builder::<StringBuilder>(1).expect("a content").append_value(content);
        message.append(true);
    }
    chats.append(true);
    let bytes = plain(&[("messages", Arc::new(chats.finish()))]);
    let entries = read(&bytes, "chats.arrow");
    assert_eq!(bodies(&entries)[0].0, "chats.arrow:0");
    let lines = read(
        br#"{"messages":[{"role":"user","content":"What is it?"},{"role":"assistant","content":"A test."}]}"#,
        "x.jsonl",
    );
    assert_eq!(bodies(&entries)[0].1, bodies(&lines)[0].1);
    for (options, told) in [
        (
            Options { required: vec!["body".into()], ..Options::default() },
            "no column \"body\"; its columns are messages",
        ),
        (Options::default(), "its columns are n; name that of the text"),
    ] {
        let columns = if options.required.is_empty() { plain(&[("n", strings(["1"]))]) } else { bytes.clone() };
        let error = Input::from_bytes(columns, "x.arrow", &options).err().expect("refused").to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn reading_resumes_at_every_row_and_finds_every_row_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, all) = resumes_at_every_row(&many(100, ALL[3]), folder.path(), "x.arrow");
    let options = Options::default();
    for entry in all.iter().rev() {
        let EntryContent::Page(page) = &entry.content else { panic!("a page") };
        let read = read_page(&path, &entry.position, &options).expect("a page");
        assert_eq!((&read.url, &read.body), (&page.url, &page.body));
    }
}

#[test]
fn a_file_that_was_cut_off_is_read_as_far_as_it_goes() {
    let batches: Vec<RecordBatch> =
        (0..3).map(|n| table(&[("text", strings([format!("first {n}").as_str(), &format!("second {n}")]))])).collect();
    let bytes = written(&batches, ALL[0]);
    // Without its footer all rows are there; of half a file, those of whole batches.
    let entries = read(&bytes[..bytes.len() - 30], "x.feather");
    assert_eq!((found(&entries).len(), reasons(&entries)), (6, vec![]));
    let entries = read(&bytes[..bytes.len() / 2], "x.feather");
    assert!((2..6).contains(&found(&entries).len()), "{}", found(&entries).len());
    assert_eq!(reasons(&entries), [Reason::DamagedMember]);
    let refused = |bytes: &[u8]| Input::from_bytes(bytes.to_vec(), "x.feather", &Options::default()).err();
    assert!(refused(&bytes[..12]).expect("nothing is there").to_string().contains("cannot be read as Arrow"));
}

#[test]
fn flipped_bytes_and_cuts_are_refused_or_skipped_and_never_end_the_process() {
    let mut random = Random::seeded("damaged tables of Arrow");
    for how in ALL {
        let bytes = many(60, how);
        for _ in 0..500 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random.next() % 3 {
                let at = random.next() as usize % damaged.len();
                damaged[at] ^= 1 << (random.next() % 8);
            }
            if random.next().is_multiple_of(4) {
                damaged.truncate(random.next() as usize % damaged.len());
            }
            if let Ok(input) = Input::from_bytes(damaged, "x.arrow", &Options::default()) {
                drain(input);
            }
        }
    }
}
