//! Queries beyond the k of a database, and the nearest documents, equal brute force.

use nddb::{Config, Federation, Fingerprint, Neighbor, Reader, Resources, Search, View, Within, Writer};

use super::support::{Random, bare, folder};

/// The live documents of a database, by number.
type Documents = Vec<(u64, String, u64)>;

fn documents(view: View<'_>) -> Documents {
    let mut documents = Vec::new();
    let mut take = |stored: nddb::Stored| {
        documents.push((stored.number, stored.record.id.clone(), stored.fingerprint.0));
        Ok(true)
    };
    view.each(&mut take).expect("all documents");
    documents
}

/// Returns all (distance, number, id) within a distance, in the order of the numbers.
fn near(documents: &Documents, query: u64, within: u8) -> Vec<(u32, u64, &str)> {
    let mut found: Vec<(u32, u64, &str)> = documents
        .iter()
        .map(|(number, id, print)| ((print ^ query).count_ones(), *number, &**id))
        .filter(|&(distance, ..)| distance <= within.into())
        .collect();
    found.sort_unstable();
    found
}

fn by_id(found: &[(u32, u64, &str)]) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = found.iter().map(|&(distance, _, id)| (distance, id.to_owned())).collect();
    found.sort_unstable();
    found
}

fn shown(found: &[Neighbor]) -> Vec<(u32, String)> {
    found.iter().map(|found| (found.distance, found.id.clone())).collect()
}

/// Makes a database of four runs with different tables, deleted documents, and a memtable.
fn database(path: &std::path::Path, k: u8, levels: &[&[u8]], random: &mut Random, prints: &mut Vec<u64>) -> Writer {
    let mut writer = Writer::create(path, &Config::within(k).expect("k")).expect("created");
    let mut number = 0;
    for &levels in levels {
        writer.set_levels(Some(levels)).expect("a scheme");
        for _ in 0..3000 {
            // Neighbours at all distances, and documents of one fingerprint.
            let (origin, flips) = (random.next(), random.below(18));
            let print = match random.below(4) {
                0 if !prints.is_empty() => random.near(prints[origin as usize % prints.len()], flips, 64),
                _ => origin,
            };
            prints.push(print);
            writer.insert(bare(&format!("{}", number * 7919 % 100_000), print)).expect("inserted");
            number += 1;
        }
        writer.commit().expect("committed");
        writer.flush().expect("flushed");
    }
    for _ in 0..800 {
        let (origin, flips) = (*random.pick(prints), random.below(18));
        let print = random.near(origin, flips, 64);
        writer.insert(bare(&format!("{}", number * 7919 % 100_000), print)).expect("inserted");
        number += 1;
    }
    for _ in 0..1500 {
        writer.delete(&format!("{}", random.below(number) * 7919 % 100_000)).expect("deleted");
    }
    writer.commit().expect("committed");
    writer
}

#[test]
fn queries_of_any_radius_and_the_nearest_equal_brute_force() {
    let (mut random, folder) = (Random::seeded("radius"), folder());
    for (k, levels) in
        [(3, [&[4][..], &[5], &[4, 4], &[6]]), (1, [&[2], &[4], &[3, 2], &[]]), (7, [&[8], &[9], &[], &[8, 8]])]
    {
        let mut prints = Vec::new();
        let path = folder.path().join(k.to_string());
        let writer = database(&path, k, &levels, &mut random, &mut prints);
        let reader = Reader::open(&path).expect("opened");
        assert_eq!(reader.view().stats().expect("counted").runs.len(), 4, "runs of several schemes");
        let all = documents(reader.view());
        for at in 0..60 {
            let query = if at % 4 == 0 { random.next() } else { random.near(prints[at * 37], at as u64 % 17, 64) };
            for within in 0..=Within::MAX.0 {
                let wanted = near(&all, query, within);
                let why = format!("k={k}, {query:x} within {within}");
                let found = reader.probe(Fingerprint(query), Within(within)).expect("answered");
                assert_eq!(shown(&found), by_id(&wanted), "{why}");
                let limited = writer.view().probe(&[Fingerprint(query)], Search::within(Within(within)).limit(5));
                let limited = limited.expect("answered").remove(0);
                let numbers: Vec<(u32, u64)> = limited.matches.iter().map(|one| (one.distance, one.number)).collect();
                let least: Vec<(u32, u64)> =
                    wanted.iter().take(5).map(|&(distance, number, _)| (distance, number)).collect();
                assert_eq!((limited.count, numbers), (wanted.len() as u64, least), "{why}");
                for n in [0, 1, 3, 40] {
                    let nearest = reader.nearest(Fingerprint(query), n, Within(within)).expect("answered");
                    assert_eq!(shown(&nearest), by_id(&wanted[..n.min(wanted.len())]), "the nearest {n}: {why}");
                }
            }
        }
    }
}

#[test]
fn the_nearest_of_several_databases_are_those_of_all() {
    let (mut random, folder) = (Random::seeded("nearest of several"), folder());
    let mut prints = Vec::new();
    let paths = ["a", "b"].map(|name| folder.path().join(name));
    for (path, levels) in paths.iter().zip([[&[4][..], &[5]], [&[6], &[4, 4]]]) {
        database(path, 3, &levels, &mut random, &mut prints).close().expect("closed");
    }
    let readers = paths.map(|path| Reader::open(path).expect("opened"));
    let mut federation = Federation::of(readers[0].view());
    federation.join(readers[1].view()).expect("alike");
    let all = readers.each_ref().map(|reader| documents(reader.view()));
    for at in 0..40 {
        let query = random.near(prints[at * 101], at as u64 % 14, 64);
        for (n, within) in [(1, 16), (10, 16), (25, 9), (3, 2)] {
            let mut wanted: Vec<(u32, usize, u64, &str)> = Vec::new();
            for (part, all) in all.iter().enumerate() {
                let found = near(all, query, within).into_iter();
                wanted.extend(found.map(|(distance, number, id)| (distance, part, number, id)));
            }
            wanted.sort_unstable();
            wanted.truncate(n);
            let mut wanted: Vec<(u32, &str, usize)> =
                wanted.into_iter().map(|(distance, part, _, id)| (distance, id, part)).collect();
            wanted.sort_unstable();
            let found = federation.nearest(Fingerprint(query), n, Within(within));
            let found = found.expect("answered");
            let found: Vec<(u32, &str, usize)> =
                found.iter().map(|(part, one)| (one.distance, &*one.id, *part)).collect();
            assert_eq!(found, wanted, "the nearest {n} of {query:x} within {within}");
        }
    }
}

#[test]
fn pairs_keep_the_k_of_the_database_and_say_so() {
    let folder = folder();
    let path = folder.path().join("db");
    let mut writer = Writer::create(&path, &Config::within(3).expect("k")).expect("created");
    writer.insert(bare("a", 0)).expect("inserted");
    writer.insert(bare("b", 0xff)).expect("inserted");
    writer.commit().expect("committed");
    let refused = writer.view().close_pairs(Within(4), &Resources::default(), None).map(drop);
    assert_eq!(refused.expect_err("beyond k").to_string(), "k is 4, the limit is 3");
    let found = writer.view().find(&[Fingerprint(0)], Within(8)).expect("answered");
    assert_eq!(shown(&found[0].matches), [(0, "a".to_owned()), (8, "b".to_owned())]);
}
