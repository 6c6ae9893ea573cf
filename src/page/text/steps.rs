//! The map from a text to the text from which it was made.

/// The places where a text and its origin advance differently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Offsets in the text, ascending, each with its offset in the origin. Between two steps both advance equally.
    steps: Vec<(usize, usize)>,
}

impl Steps {
    /// Records that the text at `at` continues with the origin at `origin`.
    pub(crate) fn note(&mut self, at: usize, origin: usize) {
        while self.steps.last().is_some_and(|&(last, _)| last >= at) {
            self.steps.pop();
        }
        let (last, from) = self.steps.last().copied().unwrap_or_default();
        if origin.wrapping_sub(from) != at - last {
            self.steps.push((at, origin));
        }
    }

    /// Returns the offset in the origin of the text at `at`.
    pub(crate) fn origin(&self, at: usize) -> usize {
        let step = self.steps.partition_point(|&(from, _)| from <= at);
        let (from, origin) = step.checked_sub(1).map(|step| self.steps[step]).unwrap_or_default();
        origin + (at - from)
    }

    /// Returns the offset in the text of the character at `origin` or, if that character was left out, of the next one.
    /// The offsets in the origin must ascend.
    pub(crate) fn place(&self, origin: usize) -> usize {
        let step = self.steps.partition_point(|&(_, from)| from <= origin);
        let (at, from) = step.checked_sub(1).map(|step| self.steps[step]).unwrap_or_default();
        let place = at + (origin - from);
        self.steps.get(step).map_or(place, |&(next, _)| place.min(next))
    }

    /// Returns the steps between the text and the text from which its origin was made.
    pub(crate) fn through(self, before: &Steps) -> Steps {
        let mut joined = Steps::default();
        let begins = [(0, 0)].into_iter().chain(self.steps.iter().copied());
        let ends = self.steps.iter().map(|&(at, _)| at).chain([usize::MAX]);
        for ((at, origin), end) in begins.zip(ends) {
            joined.note(at, before.origin(origin));
            let next = before.steps.partition_point(|&(place, _)| place <= origin);
            let within = before.steps[next..].iter().map(|&(place, farther)| (at + (place - origin), farther));
            within.take_while(|&(at, _)| at < end).for_each(|(at, farther)| joined.note(at, farther));
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a text without one of its characters.
    fn without(text: &str, left_out: char) -> (String, Steps) {
        let (mut out, mut steps) = (String::new(), Steps::default());
        for (origin, c) in text.char_indices().filter(|&(_, c)| c != left_out) {
            steps.note(out.len(), origin);
            out.push(c);
        }
        (out, steps)
    }

    #[test]
    fn what_is_left_out_is_where_the_next_is() {
        let (text, steps) = without("xabxxcx", 'x');
        assert_eq!(text, "abc");
        let origins: Vec<usize> = (0..=3).map(|at| steps.origin(at)).collect();
        assert_eq!(origins, [1, 2, 5, 6]);
        let places: Vec<usize> = (0..=6).map(|origin| steps.place(origin)).collect();
        assert_eq!(places, [0, 0, 1, 2, 2, 2, 3]);
    }

    proptest! {
        #[test]
        fn steps_of_steps_lead_to_the_first_text(text in "[aéxy中]{0,40}") {
            let (first, before) = without(&text, 'x');
            let (second, after) = without(&first, 'y');
            let joined = after.through(&before);
            for (at, c) in second.char_indices() {
                let origin = joined.origin(at);
                prop_assert_eq!(text[origin..].chars().next(), Some(c));
                prop_assert!(first[before.place(origin)..].starts_with(c));
            }
        }
    }
}
