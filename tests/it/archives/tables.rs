//! Parquet files: layouts, types, codecs, resuming, and damage.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{
    ArrayRef, Int32Array, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray, StructArray,
    TimestampMicrosecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression as Codec, Encoding, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;

use nddb::number_id;

use super::*;

/// Returns a Parquet file of these columns.
fn parquet(columns: &[(&str, ArrayRef)], properties: WriterProperties) -> Vec<u8> {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.iter().map(|(name, column)| (*name, column.clone(), true)));
    let batch = batch.expect("columns of one length");
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).expect("a schema");
    writer.write(&batch).expect("writes to memory");
    writer.into_inner().expect("writes to memory")
}

fn plain(columns: &[(&str, ArrayRef)]) -> Vec<u8> {
    parquet(columns, WriterProperties::default())
}

fn strings<'a>(values: impl IntoIterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn text(number: usize) -> String {
    let mut random = Random(number as u64 + 1);
    (0..5 + number % 40).map(|_| format!("{:x} ", random.next() >> 40)).collect()
}

/// Returns a file of so many rows in row groups and pages of a few rows.
fn many(rows: usize, properties: impl FnOnce() -> parquet::file::properties::WriterPropertiesBuilder) -> Vec<u8> {
    let ids: Vec<String> = (0..rows).map(|row| format!("id-{row}")).collect();
    let urls: Vec<String> = (0..rows).map(|row| format!("https://example.org/{}", row % 7)).collect();
    let texts: Vec<String> = (0..rows).map(text).collect();
    parquet(
        &[
            ("id", strings(ids.iter().map(String::as_str))),
            ("url", strings(urls.iter().map(String::as_str))),
            ("text", strings(texts.iter().map(String::as_str))),
        ],
        properties()
            .set_max_row_group_row_count(Some(37))
            .set_write_batch_size(4)
            .set_data_page_row_count_limit(8)
            .build(),
    )
}

fn check_many(entries: &[Entry], rows: usize, what: &str) {
    let pages = found(entries);
    assert_eq!((pages.len(), entries.len()), (rows, rows), "{what}");
    for (row, (entry, page)) in entries.iter().zip(pages).enumerate() {
        assert_eq!((entry.position.offset, entry.position.inner), (row as u64, 0), "{what}");
        assert_eq!(page.id, format!("id-{row}"), "{what}");
        assert_eq!(page.url, Some(format!("https://example.org/{}", row % 7)), "{what}");
        assert_eq!((page.kind, &page.body[..]), (PageKind::Text, text(row).as_bytes()), "{what}");
    }
}

#[test]
fn every_codec_page_version_and_encoding_gives_the_same_documents() {
    let codecs = [
        Codec::UNCOMPRESSED,
        Codec::SNAPPY,
        Codec::GZIP(GzipLevel::default()),
        Codec::BROTLI(BrotliLevel::default()),
        Codec::LZ4_RAW,
        Codec::LZ4,
        Codec::ZSTD(ZstdLevel::default()),
    ];
    for codec in codecs {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            for encoding in
                [None, Some(Encoding::PLAIN), Some(Encoding::DELTA_LENGTH_BYTE_ARRAY), Some(Encoding::DELTA_BYTE_ARRAY)]
            {
                let bytes = many(100, || {
                    let builder = WriterProperties::builder().set_compression(codec).set_writer_version(version);
                    match encoding {
                        None => builder,
                        Some(encoding) => ["id", "url", "text"].into_iter().fold(builder, |builder, name| {
                            let path = ColumnPath::from(name);
                            builder
                                .set_column_dictionary_enabled(path.clone(), false)
                                .set_column_encoding(path, encoding)
                        }),
                    }
                });
                check_many(&read(&bytes, "x.parquet"), 100, &format!("{codec} {version:?} {encoding:?}"));
            }
        }
    }
}

#[test]
fn strings_may_be_large_or_views() {
    let texts = ["one two three", "", "a text that is too long to stand in a view itself"];
    let columns: [ArrayRef; 3] = [
        strings(texts),
        Arc::new(LargeStringArray::from_iter_values(texts)),
        Arc::new(StringViewArray::from_iter_values(texts)),
    ];
    for column in columns {
        let bytes = plain(&[("id", strings(["a", "b", "c"])), ("text", column.clone())]);
        let entries = read(&bytes, "x");
        let bodies: Vec<&[u8]> = found(&entries).iter().map(|page| &page.body[..]).collect();
        assert_eq!(bodies, texts.map(str::as_bytes), "{:?}", column.data_type());
    }
}

#[test]
fn the_layouts_of_fineweb_and_datatrove_need_no_options() {
    let fineweb = plain(&[
        ("text", strings(["words of it"])),
        ("id", strings(["<urn:uuid:1>"])),
        ("dump", strings(["CC-MAIN-2024-10"])),
        ("url", strings(["http://a.example/"])),
        ("date", strings(["2024-02-21T05:06:07Z"])),
        ("file_path", strings(["s3://x"])),
        ("language_score", Arc::new(arrow_array::Float64Array::from(vec![0.9]))),
        ("token_count", Arc::new(Int64Array::from(vec![3]))),
    ]);
    let metadata = StructArray::from(vec![
        (Arc::new(Field::new("dump", DataType::Utf8, true)), strings(["CC-MAIN-2024-10"])),
        (Arc::new(Field::new("url", DataType::Utf8, true)), strings(["http://a.example/"])),
        (Arc::new(Field::new("date", DataType::Utf8, true)), strings(["2024-02-21T05:06:07Z"])),
    ]);
    let datatrove = plain(&[
        ("text", strings(["words of it"])),
        ("id", strings(["<urn:uuid:1>"])),
        ("metadata", Arc::new(metadata)),
    ]);
    for bytes in [fineweb, datatrove] {
        let entries = read(&bytes, "000_00000.parquet");
        let page = found(&entries)[0];
        assert_eq!((&page.id[..], page.url.as_deref()), ("<urn:uuid:1>", Some("http://a.example/")));
        assert_eq!((page.date, &page.body[..]), (Some(1_708_491_967), &b"words of it"[..]));
    }
}

#[test]
fn columns_are_chosen_by_name_and_nested_ones_by_their_path() {
    let meta = StructArray::from(vec![
        (Arc::new(Field::new("isbn", DataType::Int64, true)), Arc::new(Int64Array::from(vec![-7, 8])) as ArrayRef),
        (Arc::new(Field::new("at", DataType::Utf8, true)), strings(["u1", "u2"])),
    ]);
    let bytes = plain(&[
        ("meta", Arc::new(meta)),
        ("body", strings(["one", "two"])),
        ("page", Arc::new(StringArray::from(vec![Some("<p>one"), None]))),
        ("date", Arc::new(TimestampMicrosecondArray::from(vec![-1, 5_000_000]))),
    ]);
    let fields = nddb::archive::JsonFields {
        id: "meta.isbn".into(),
        url: "meta.at".into(),
        text: "body".into(),
        html: "page".into(),
        ..Default::default()
    };
    let options = Options { fields, ..Options::default() };
    let entries = read_with(&bytes, "x", &options);
    let made: Vec<_> = found(&entries)
        .iter()
        .map(|page| (&page.id[..], page.url.as_deref(), page.kind, &page.body[..], page.date))
        .collect();
    assert_eq!(
        made,
        [
            (&*number_id(-7), Some("u1"), PageKind::Html, &b"<p>one"[..], Some(-1)),
            (&*number_id(8), Some("u2"), PageKind::Text, &b"two"[..], Some(5))
        ]
    );
    let stored = Options::from_reading(options.reading().as_ref());
    assert_eq!(read_page_of(&bytes, &entries[1].position, &stored).body, b"two");
}

/// Reads the page at a position of a file with these bytes.
fn read_page_of(bytes: &[u8], position: &Position, options: &Options) -> PageEntry {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.parquet");
    std::fs::write(&path, bytes).expect("written");
    read_page(&path, position, options).expect("a page")
}

#[test]
fn rows_without_id_column_are_named_by_file_and_row_and_nulls_are_skipped() {
    let texts = Arc::new(StringArray::from(vec![Some("one"), None, Some("three")]));
    let entries = read(&plain(&[("text", texts.clone())]), "in/x.parquet");
    let ids: Vec<&str> = found(&entries).iter().map(|page| &page.id[..]).collect();
    assert_eq!((ids, reasons(&entries)), (vec!["in/x.parquet:0", "in/x.parquet:2"], vec![Reason::MissingField]));

    let ids = Arc::new(StringArray::from(vec![None, Some("b"), Some("")]));
    let entries = read(&plain(&[("id", ids), ("text", texts)]), "x");
    assert_eq!(reasons(&entries), [Reason::MissingField, Reason::MissingField, Reason::BadId]);
    let details: Vec<_> = entries
        .iter()
        .filter_map(|entry| match &entry.content {
            EntryContent::Skipped { detail, .. } => Some(&detail[..]),
            _ => None,
        })
        .collect();
    assert_eq!(details[..2], ["null in \"id\"", "null in \"text\""]);
}

#[test]
fn fingerprints_are_patterns_of_64_bits_or_hex_digits() {
    let values = [0x0123_4567_89ab_cdef_u64, u64::MAX - 1];
    let columns: [ArrayRef; 3] = [
        Arc::new(UInt64Array::from(values.to_vec())),
        Arc::new(Int64Array::from(values.map(u64::cast_signed).to_vec())),
        strings(["0123456789abcdef", "fffffffffffffffe"]),
    ];
    for column in columns {
        let entries = read(&plain(&[("id", Arc::new(Int32Array::from(vec![1, 2]))), ("fp", column)]), "x");
        let made: Vec<_> = entries
            .iter()
            .filter_map(|entry| match &entry.content {
                EntryContent::Fingerprint { id, fingerprint, .. } => Some((&id[..], *fingerprint)),
                _ => None,
            })
            .collect();
        assert_eq!(made, [(&*number_id(1), values[0]), (&*number_id(2), values[1])]);
    }
    let bad = read(&plain(&[("fp", strings(["0123"]))]), "x");
    assert_eq!(reasons(&bad), [Reason::BadFingerprint]);
}

#[test]
fn a_file_without_the_columns_asked_for_is_refused_with_those_it_has() {
    let refused = |bytes: &[u8], fields| {
        let options = Options { fields, ..Options::default() };
        match Input::from_bytes(bytes.to_vec(), "x.parquet", &options) {
            Err(error @ ArchiveError::UnusableTable { .. }) => error.to_string(),
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("opened"),
        }
    };
    let fields = |text: &str| nddb::archive::JsonFields { text: text.into(), ..Default::default() };
    let bytes = plain(&[("a", strings(["x"])), ("b", Arc::new(arrow_array::Float64Array::from(vec![1.0])))]);
    assert!(refused(&bytes, fields("text")).contains("its columns are a, b; name that of the text"));
    assert!(refused(&bytes, fields("c")).contains("no column \"c\"; its columns are a, b"));
    assert!(refused(&bytes, fields("b")).contains("column \"b\" has an unsuitable type"));
    let whole = many(3, WriterProperties::builder);
    assert!(refused(&whole[..whole.len() - 1], fields("text")).contains("does not end with PAR1"));
    assert!(refused(b"PAR1", fields("text")).contains("cut off"));
    assert!(refused(b"no table", fields("text")).contains("does not begin with PAR1"));
    assert!(refused(&gzip(&whole), fields("text")).contains("if it is compressed as a whole, unpack it"));
}

#[test]
fn a_table_is_recognised_by_its_content_and_read_from_a_pipe() {
    let bytes = many(50, WriterProperties::builder);
    assert_eq!(Input::from_bytes(bytes.clone(), "data", &Options::default()).expect("opens").format(), Format::Parquet);
    let piped = std::io::Cursor::new(bytes.clone());
    let input = Input::from_reader(piped, "-", &Options::default()).expect("opens");
    assert_eq!(input.size(), bytes.len() as u64);
    check_many(&drain(input), 50, "piped");
}

#[test]
fn reading_resumes_at_every_row_and_finds_every_row_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, all) = resumes_at_every_row(&many(100, WriterProperties::builder), folder.path(), "x.parquet");
    let options = Options::default();
    for entry in &all {
        let EntryContent::Page(page) = &entry.content else { panic!("a page") };
        assert_eq!(&read_page(&path, &entry.position, &options).expect("a page"), page);
    }
}

#[test]
fn row_groups_read_at_the_same_time_give_their_rows_in_order_from_wherever_reading_begins() {
    let bytes = many(500, WriterProperties::builder);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.parquet");
    std::fs::write(&path, &bytes).expect("written");
    for readers in [2, 3, 20] {
        let options = Options { readers, ..Options::default() };
        let mut input = Input::open(&path, &options).expect("opens");
        let points: Vec<_> = std::iter::from_fn(|| {
            let point = input.resume_point();
            input.next().expect("reads").map(|entry| (entry, point))
        })
        .collect();
        let all: Vec<Entry> = points.iter().map(|(entry, _)| entry.clone()).collect();
        check_many(&all, 500, &format!("{readers} readers"));
        for row in [1, 36, 37, 100, 499] {
            let mut input = Input::open_at(&path, &options, points[row].1).expect("opens");
            // The threads of an input that is not read to its end end with it.
            assert_eq!(input.next().expect("reads").as_ref(), Some(&all[row]));
            drop(input);
            let rest = drain(Input::open_at(&path, &options, points[row].1).expect("opens"));
            assert_eq!(rest, all[row..], "{readers} readers from row {row}");
        }
    }
}

#[test]
fn a_text_beyond_the_limit_is_truncated_and_flagged() {
    let long = "word ".repeat(1000);
    let bytes = plain(&[("text", strings(["short", &long]))]);
    let options = Options { limits: Limits { record: 100, ..Limits::default() }, ..Options::default() };
    let entries = read_with(&bytes, "x", &options);
    let made: Vec<_> = found(&entries).iter().map(|page| (page.body.len(), page.truncated)).collect();
    assert_eq!(made, [(5, false), (100, true)]);
}

#[test]
fn one_text_in_all_rows_of_a_dictionary_or_of_a_page_is_read_whatever_it_compresses_to() {
    let long = "word ".repeat(20_000);
    for has_dictionary in [true, false] {
        let texts = std::iter::repeat_n(&long[..], 500).chain(["short"]);
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(500));
        let properties = properties.set_compression(Codec::ZSTD(ZstdLevel::default()));
        let bytes = parquet(&[("text", strings(texts))], properties.set_dictionary_enabled(has_dictionary).build());
        assert!(bytes.len() * 300 < 500 * long.len(), "{} bytes", bytes.len());
        let mut input = Input::from_bytes(bytes, "hot.parquet", &Options::default()).expect("opens");
        let (mut texts, mut others) = (0, 0);
        while let Some(entry) = input.next().expect("reads") {
            match entry.content {
                EntryContent::Page(page) if page.body == long.as_bytes() => texts += 1,
                _ => others += 1,
            }
        }
        assert_eq!((texts, others), (500, 1));
    }
}

#[test]
fn a_page_beyond_the_size_limit_is_not_decompressed() {
    let long = "word ".repeat(20_000);
    let small = Limits { table_page: 1000, ..Limits::default() };
    let bytes = plain(&[("text", strings([&long[..10_000]]))]);
    let entries = read_with(&bytes, "x", &Options { limits: small, ..Options::default() });
    assert_eq!(reasons(&entries), [Reason::DamagedMember]);
}

#[test]
fn a_damaged_row_group_costs_its_rows_and_no_others() {
    let bytes = many(111, || WriterProperties::builder().set_compression(Codec::ZSTD(ZstdLevel::default())));
    // The texts of the second row group.
    let metadata = parquet::file::metadata::ParquetMetaDataReader::new()
        .parse_and_finish(&bytes::Bytes::from(bytes.clone()))
        .expect("metadata");
    let (start, len) = metadata.row_group(1).column(2).byte_range();
    let mut damaged = bytes;
    damaged[start as usize..(start + len) as usize].fill(0xa5);
    let entries = read(&damaged, "x.parquet");
    assert_eq!(reasons(&entries), [Reason::DamagedMember]);
    let ids: Vec<String> = found(&entries).iter().map(|page| page.id.clone()).collect();
    let want: Vec<String> = (0..37).chain(74..111).map(|row| format!("id-{row}")).collect();
    assert_eq!(ids, want);
}

#[test]
fn flipped_bytes_and_cuts_are_refused_or_skipped_and_never_end_the_process() {
    let mut random = Random::seeded("damaged tables");
    for (version, encoding) in [
        (WriterVersion::PARQUET_1_0, None),
        (WriterVersion::PARQUET_2_0, Some(Encoding::DELTA_BYTE_ARRAY)),
        (WriterVersion::PARQUET_2_0, Some(Encoding::DELTA_LENGTH_BYTE_ARRAY)),
    ] {
        let bytes = many(60, || {
            let builder = WriterProperties::builder().set_writer_version(version);
            encoding.into_iter().fold(builder, |builder, encoding| {
                builder.set_dictionary_enabled(false).set_column_encoding(ColumnPath::from("text"), encoding)
            })
        });
        for round in 0..2_000 {
            let mut damaged = bytes.clone();
            for _ in 0..=round % 3 {
                let at = random.below(damaged.len() as u64) as usize;
                // Metadata more often than its share.
                let at = if round % 2 == 0 { at } else { damaged.len() - 1 - at % 1200 };
                damaged[at] ^= 1 << random.below(8);
            }
            if round % 10 == 0 {
                damaged.truncate(random.below(bytes.len() as u64) as usize);
            }
            let read = |readers: usize| {
                let options = Options { readers, ..Options::default() };
                let mut input = Input::from_bytes(damaged.clone(), "x.parquet", &options).ok()?;
                let mut entries = Vec::new();
                while let Some(entry) = input.next().expect("memory is readable") {
                    entries.push(entry);
                    assert!(entries.len() < 3_000_000, "reading comes to an end");
                }
                Some(entries)
            };
            assert_eq!(read(1), read(3), "round {round}");
        }
    }
}

/// The role and the content of a message; `None` is a null.
type Message<'a> = (&'a str, Option<&'a str>);

/// A column of lists of messages; `None` is a null.
fn chats(rows: &[Option<&[Message<'_>]>]) -> ArrayRef {
    let fields = ["role", "content"].map(|name| Field::new(name, DataType::Utf8, true));
    let mut list = ListBuilder::new(StructBuilder::from_fields(fields.to_vec(), 4));
    for row in rows {
        for (role, content) in row.unwrap_or_default() {
            let message = list.values();
            message.field_builder::<StringBuilder>(0).expect("a text").append_value(role);
            message.field_builder::<StringBuilder>(1).expect("a text").append_option(*content);
            message.append(true);
        }
        list.append(row.is_some());
    }
    Arc::new(list.finish())
}

fn paragraphs(rows: &[&[Option<&str>]]) -> ArrayRef {
    let mut list = ListBuilder::new(StringBuilder::new());
    for row in rows {
        row.iter().for_each(|text| list.values().append_option(*text));
        list.append(true);
    }
    Arc::new(list.finish())
}

fn texts_of(bytes: &[u8], name: &str, text: &str) -> Vec<(String, String)> {
    let fields = nddb::archive::JsonFields { text: text.into(), ..Default::default() };
    let required = if text == "text" { Vec::new() } else { vec![text.to_owned()] };
    let options = Options { fields, required, ..Options::default() };
    let entries = read_with(bytes, name, &options);
    for entry in &entries {
        if let EntryContent::Page(page) = &entry.content {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).expect("written");
            let again = read_page(&path, &entry.position, &options).expect("it is read again");
            assert_eq!(again.body, page.body, "{name} {text}");
        }
    }
    let text = |page: &&PageEntry| (page.id.clone(), String::from_utf8(page.body.clone()).expect("text"));
    found(&entries).iter().map(text).collect()
}

#[test]
fn texts_in_several_parts_are_one_text_in_each_format() {
    let chat: &[(&str, Option<&str>)] = &[("system", None), ("user", Some("Why?")), ("assistant", Some("So."))];
    let table = plain(&[
        ("id", strings(["a", "b", "c"])),
        ("title", Arc::new(StringArray::from(vec![Some("T1"), None, Some("T3")]))),
        ("body", strings(["one", "two", ""])),
        ("messages", chats(&[Some(chat), None, Some(&[("user", Some("Again"))])])),
        ("paragraphs", paragraphs(&[&[Some("p1"), None, Some("p2")], &[], &[Some("q")]])),
    ]);
    let lines = r#"{"id":"a","title":"T1","body":"one","messages":[{"role":"system","content":null},{"role":"user","content":"Why?"},{"role":"assistant","content":"So."}],"paragraphs":["p1",null,"p2"]}
{"id":"b","title":null,"body":"two","messages":null,"paragraphs":[]}
{"id":"c","title":"T3","body":"","messages":[{"role":"user","content":"Again"}],"paragraphs":["q"]}
"#;
    let both = |text: &str| {
        let found = texts_of(&table, "a.parquet", text);
        let of_lines = texts_of(lines.as_bytes(), "a.jsonl", text);
        assert_eq!(found, of_lines, "{text}");
        found.into_iter().map(|(id, text)| format!("{id}={text}")).collect::<Vec<_>>()
    };
    assert_eq!(both("title,body"), ["a=T1\n\none", "b=two", "c=T3"]);
    assert_eq!(both("messages"), ["a=user: Why?\n\nassistant: So.", "c=user: Again"]);
    assert_eq!(both("messages.user"), ["a=Why?", "c=Again"]);
    assert_eq!(both("messages.assistant"), ["a=So."]);
    // Without a name, chats are found where there is no text.
    assert_eq!(both("text"), ["a=user: Why?\n\nassistant: So.", "c=user: Again"]);
    let found = texts_of(&table, "a.parquet", "paragraphs");
    assert_eq!((&*found[0].1, &*found.last().expect("a row").1), ("p1\n\np2", "q"));
    assert_eq!(texts_of(lines.as_bytes(), "a.jsonl", "paragraphs")[0].1, "p1\n\np2");
    let csv = b"id,title,body\na,T1,one\nb,,two\nc,T3,\n";
    let found = texts_of(csv, "a.csv", "title,body");
    assert_eq!(found.iter().map(|(_, text)| &**text).collect::<Vec<_>>(), ["T1\n\none", "two", "T3"]);
    let fields = nddb::archive::JsonFields { text: "title,none".into(), ..Default::default() };
    let options = Options { fields, required: vec!["title,none".into()], ..Options::default() };
    for (name, bytes) in [("a.parquet", &table[..]), ("a.jsonl", lines.as_bytes()), ("a.csv", csv)] {
        let told = Input::from_bytes(bytes.to_vec(), name, &options).err().expect("refused").to_string();
        assert!(told.contains("\"none\""), "{told}");
    }
}
