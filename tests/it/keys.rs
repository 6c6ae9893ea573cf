//! The hashes by which SPEC.md says documents are found are those of the code.

use nddb::sketch::{bands, megashingles};

const SPEC: &str = include_str!("../../SPEC.md");

/// The rows of the table: kind, number of hashes, first and last.
fn rows() -> Vec<(&'static str, usize, u64, u64)> {
    let (_, table) = SPEC.split_once("<!-- table: megashingles -->\n").expect("SPEC.md has the table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
    let hash = |cell: &str| u64::from_str_radix(cell.trim_matches('`'), 16).expect("a hash");
    cells.map(|row| (row[0], row[1].parse().expect("a number"), hash(row[3]), hash(row[4]))).collect()
}

#[test]
fn the_hashes_of_spec_are_those_of_the_code() {
    let mega = megashingles(&std::array::from_fn(|place| place as u64));
    let band = bands(&std::array::from_fn(|place| place as u32));
    let expected = [("megashingle", 15, mega[0], mega[14]), ("band", 21, band[0], band[20])];
    assert_eq!(rows(), expected, "{:016x?}", expected);
}
