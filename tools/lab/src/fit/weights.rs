//! Weights of labelled pairs.

use std::collections::BTreeMap;

use nddb_evaluate::calibration::logistic::Example;

/// Returns the number of the component of each example. A component is a set of groups that pairs connect, within one
/// labelled set.
pub fn components(examples: &[Example]) -> Vec<usize> {
    let groups = examples.iter().flat_map(|example| example.groups).max().map_or(0, |group| group as usize + 1);
    let mut parent: Vec<usize> = (0..groups).collect();
    for example in examples {
        let [a, b] = example.groups.map(|group| root(&mut parent, group as usize));
        parent[a.max(b)] = a.min(b);
    }
    examples.iter().map(|example| root(&mut parent, example.groups[0] as usize)).collect()
}

/// Returns the weight of each example. Sets are weighted as given, equally by default; components of a set are weighted
/// equally, and so are pairs of a component. The sum of the weights is the number of examples.
pub fn weights(examples: &[Example], of_sets: &[f64]) -> Vec<f64> {
    let mut sizes: BTreeMap<(u32, usize), usize> = BTreeMap::new();
    let keys: Vec<(u32, usize)> =
        components(examples).into_iter().zip(examples).map(|(component, example)| (example.set, component)).collect();
    keys.iter().for_each(|key| *sizes.entry(*key).or_default() += 1);
    let mut components: BTreeMap<u32, usize> = BTreeMap::new();
    sizes.keys().for_each(|(set, _)| *components.entry(*set).or_default() += 1);
    let of_set = |set: u32| of_sets.get(set as usize).copied().unwrap_or(1.0);
    let all: f64 = components.keys().map(|&set| of_set(set)).sum();
    let share = |key: &(u32, usize)| of_set(key.0) / all / components[&key.0] as f64 / sizes[key] as f64;
    keys.iter().map(|key| share(key) * examples.len() as f64).collect()
}

fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use nddb::verdict::FeatureValues;

    use super::*;

    #[test]
    fn sets_and_their_components_count_alike() {
        let example = |set, groups| Example {
            set,
            groups,
            is_near: true,
            is_identical: false,
            features: FeatureValues::from_values([0.0; _]),
        };
        // The components are {0, 1, 2} and {3} in the first set, and {4} in the second.
        let examples = [(0, [0, 1]), (0, [2, 1]), (0, [3, 3]), (1, [4, 4])].map(|(set, groups)| example(set, groups));
        assert_eq!(weights(&examples, &[]), [0.5, 0.5, 1.0, 2.0]);
        assert_eq!(weights(&examples, &[3.0, 1.0]), [0.75, 0.75, 1.5, 1.0]);
        assert!(weights(&[], &[]).is_empty());
    }
}
