//! `filter` of Parquet files: what is kept has the schema, the nested columns and the metadata of the input.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, FixedSizeBinaryArray, Float32Array, Float64Array, Int8Array,
    Int64Array, LargeStringArray, ListArray, RecordBatch, StringArray, StructArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::filter::texts;
use crate::helper::Dir;

/// A table of the four texts and one row without a text: ids, a struct, a list, and metadata of file and column.
fn table() -> (RecordBatch, Vec<u8>) {
    let [first, second, third, fourth] = texts();
    let ids: ArrayRef = Arc::new(StringArray::from(vec!["p0", "p1", "null", "p2", "p3"]));
    let bodies = vec![Some(first), Some(second), None, Some(third), Some(fourth)];
    let bodies: ArrayRef = Arc::new(bodies.into_iter().collect::<StringArray>());
    let urls: ArrayRef = Arc::new((0..5).map(|row| Some(format!("http://a.org/{row}"))).collect::<StringArray>());
    let dumps: ArrayRef = Arc::new(Int64Array::from_iter_values(0..5));
    let of_struct = |name: &str, array: &ArrayRef| Arc::new(Field::new(name, array.data_type().clone(), true));
    let metadata: ArrayRef =
        Arc::new(StructArray::from(vec![(of_struct("url", &urls), urls), (of_struct("dump", &dumps), dumps)]));
    let mut lists = ListBuilder::new(Int32Builder::new());
    (0..5).for_each(|row| lists.append_value((0..row).map(Some)));
    let lists: ListArray = lists.finish();
    let column =
        Field::new("id", DataType::Utf8, false).with_metadata(HashMap::from([("kind".to_owned(), "key".to_owned())]));
    let fields = vec![
        column,
        Field::new("metadata", metadata.data_type().clone(), true),
        Field::new("text", DataType::Utf8, true),
        Field::new("scores", lists.data_type().clone(), true),
    ];
    let schema = Arc::new(Schema::new(fields));
    let columns: Vec<ArrayRef> = vec![ids, metadata, bodies, Arc::new(lists)];
    let batch = RecordBatch::try_new(schema.clone(), columns).expect("columns of one length");
    let bytes = written(&batch);
    (batch, bytes)
}

/// A file of row groups of two rows.
fn written(batch: &RecordBatch) -> Vec<u8> {
    let pairs = vec![KeyValue::new("made by".into(), "a test".to_owned())];
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(2))
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(pairs))
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).expect("a schema");
    writer.write(batch).expect("memory is writable");
    writer.into_inner().expect("memory is writable")
}

/// A table of columns of many types, with nulls.
fn of_many_types() -> RecordBatch {
    let ids = ["a", "b", "c", "d", "e"];
    let texts = [Some("one two three"), Some("four five"), Some("six"), None, Some("seven eight")];
    let days = TimestampMicrosecondArray::from(vec![Some(1), None, Some(-3), Some(4), Some(5)]);
    let amounts = Decimal128Array::from(vec![Some(-1), Some(2), None, Some(1 << 80), Some(5)]);
    let halves = FixedSizeBinaryArray::try_from_iter(ids.iter().map(|id| [id.as_bytes()[0], 7])).expect("two bytes");
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(ids.into_iter().map(Some).collect::<StringArray>())),
        ("text", Arc::new(texts.into_iter().collect::<LargeStringArray>())),
        ("flag", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true), None]))),
        ("small", Arc::new(Int8Array::from(vec![Some(-1), Some(2), None, Some(4), Some(5)]))),
        ("share", Arc::new(Float32Array::from(vec![None, Some(0.5), Some(1.5), None, Some(-2.5)]))),
        ("score", Arc::new(Float64Array::from(vec![0.25, 1.25, 2.25, 3.25, 4.25]))),
        ("amount", Arc::new(amounts.with_precision_and_scale(30, 2).expect("fits"))),
        ("half", Arc::new(halves)),
        ("day", Arc::new(days.with_timezone("+01:00"))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, name != "score")))
        .expect("columns of one length")
}

/// Reads a file whole; checks that it has the metadata and the compression of the input.
fn read(dir: &Dir, name: &str) -> RecordBatch {
    let file = std::fs::File::open(dir.path(name)).expect("it is there");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    let metadata = builder.metadata().file_metadata().key_value_metadata().cloned().unwrap_or_default();
    assert!(metadata.contains(&KeyValue::new("made by".into(), "a test".to_owned())), "{metadata:?}");
    assert_eq!(metadata.iter().filter(|pair| pair.key == "ARROW:schema").count(), 1);
    for group in builder.metadata().row_groups() {
        assert!(group.columns().iter().all(|column| column.compression() == Compression::SNAPPY));
    }
    let schema = builder.schema().clone();
    let batches: Vec<RecordBatch> = builder.build().expect("readable").map(|batch| batch.expect("sound")).collect();
    batches.into_iter().next().unwrap_or_else(|| RecordBatch::new_empty(schema))
}

fn clustered() -> (Dir, RecordBatch) {
    let dir = Dir::with_database();
    let (batch, bytes) = table();
    dir.write("in.parquet", &bytes);
    dir.nddb(["load", "db", "in.parquet"]).ends(3);
    dir.nddb(["cluster", "db", "--method", "min-hash", "-o", "clusters"]).done();
    assert_eq!(dir.read("clusters/remove.txt"), b"p1\n");
    (dir, batch)
}

#[test]
fn rows_keep_their_columns_and_the_file_its_schema() {
    let (dir, batch) = clustered();
    let args = [
        "filter",
        "db",
        "in.parquet",
        "--clusters",
        "clusters",
        "-o",
        "out.parquet",
        "--removed-documents",
        "gone.parquet",
    ];
    dir.nddb(args).done().says(&["4 documents: 3 kept, 1 removed, 1 without an id kept"]);
    let kept = read(&dir, "out.parquet");
    assert_eq!(kept.schema().fields(), batch.schema().fields());
    assert_eq!(kept.slice(0, 1), batch.slice(0, 1));
    assert_eq!(kept.slice(1, 3), batch.slice(2, 3));
    assert_eq!(read(&dir, "gone.parquet"), batch.slice(1, 1));
    let first = dir.read("out.parquet");
    dir.nddb(args).done();
    assert_eq!(dir.read("out.parquet"), first, "the same input gives the same bytes");
    // A file that was moved is read as it was loaded.
    std::fs::create_dir(dir.path("away")).expect("made");
    std::fs::rename(dir.path("in.parquet"), dir.path("away/in.parquet")).expect("moved");
    dir.nddb(["filter", "db", "away/in.parquet", "--clusters", "clusters", "-o", "again.parquet"]).done();
    assert_eq!(dir.read("again.parquet"), first);
    if std::path::Path::new("/dev/full").exists() {
        dir.nddb(["filter", "db", "away/in.parquet", "--clusters", "clusters", "-o", "/dev/full"])
            .tells(14, &["/dev/full: cannot be written: No space left", "hint: free some space"]);
    }
    dir.write("away/cut.parquet", &first[..first.len() - 20]);
    dir.nddb(["filter", "db", "away/cut.parquet", "--clusters", "clusters", "-o", "x.parquet"]).ends(1);
    assert!(!dir.path("x.parquet").exists());
    dir.is_clean();
}

#[test]
fn rows_of_tables_say_their_cluster_on_request() {
    let (dir, batch) = clustered();
    let with = "cluster_id,cluster_size,kept";
    let args = [
        "filter",
        "db",
        "in.parquet",
        "--clusters",
        "clusters",
        "--with",
        with,
        "-o",
        "out",
        "--removed-documents",
        "gone",
    ];
    dir.nddb(args).done();
    let kept = read(&dir, "out");
    assert_eq!(kept.num_columns(), batch.num_columns() + 3);
    let column = |batch: &RecordBatch, name: &str| batch.column_by_name(name).expect("it was asked for").clone();
    let ids = column(&kept, "cluster_id");
    assert_eq!(ids.as_string::<i32>().iter().collect::<Vec<_>>(), [Some("p0"), None, None, None]);
    let sizes = column(&kept, "cluster_size");
    let sizes: &Int64Array = sizes.as_primitive();
    assert_eq!(sizes.values().to_vec(), [2, 1, 1, 1]);
    assert!(column(&kept, "kept").as_boolean().iter().all(|kept| kept == Some(true)));
    let gone = read(&dir, "gone");
    assert_eq!((column(&gone, "cluster_id").as_string::<i32>().value(0), gone.num_rows()), ("p0", 1));
    assert!(!column(&gone, "kept").as_boolean().value(0));
    dir.nddb(["filter", "db", "out", "--clusters", "clusters", "--with", "kept", "-o", "twice"])
        .tells(1, &["'kept' already"]);
}

#[test]
fn rows_of_tables_are_annotated_instead_of_removed() {
    let (dir, batch) = clustered();
    dir.nddb(["filter", "db", "in.parquet", "--clusters", "clusters", "--annotate", "-o", "out"]).done();
    let all = read(&dir, "out");
    assert_eq!((all.num_rows(), all.num_columns()), (batch.num_rows(), batch.num_columns() + 7));
    let own: Vec<usize> = (0..batch.num_columns()).collect();
    assert_eq!(all.project(&own).expect("columns").columns(), batch.columns());
    let column = |name: &str| all.column_by_name(name).expect("it was added").clone();
    let flags = column("kept");
    assert_eq!(flags.as_boolean().values().iter().collect::<Vec<_>>(), [true, false, true, true, true]);
    let texts =
        |name: &str| column(name).as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>();
    assert_eq!(texts("duplicate_of"), [None, Some("p0".to_owned()), None, None, None]);
    assert_eq!(texts("rule").iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false, false, false]);
    assert_eq!([column("probability").null_count(), column("loss").null_count()], [4, 4]);
}

#[test]
fn columns_of_many_types_are_passed_on_and_no_row_group_is_empty() {
    let dir = Dir::with_database();
    let batch = of_many_types();
    dir.write("in.parquet", &written(&batch));
    dir.nddb(["load", "db", "in.parquet"]).ends(3);
    let groups = |name: &str| {
        let file = std::fs::File::open(dir.path(name)).expect("it is there");
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
        builder.metadata().row_groups().iter().map(|group| group.num_rows()).collect::<Vec<_>>()
    };
    // The row without a text is no document: it is kept.
    dir.write("gone.txt", b"a\nb\nc\nd\n");
    let args = ["filter", "db", "in.parquet", "--remove", "gone.txt", "-o", "out", "--removed-documents", "gone"];
    dir.nddb(args).done().says(&["4 documents: 1 kept, 3 removed, 1 without an id kept"]);
    assert_eq!((groups("out"), groups("gone")), (vec![1, 1], vec![2, 1]));
    assert_eq!((read(&dir, "out"), read(&dir, "gone")), (batch.slice(3, 2), batch.slice(0, 3)));
}
