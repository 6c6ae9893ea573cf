//! Texts of which many are near each other.

use crate::Random;

/// Texts of which many are near each other: words and sentences replaced, left out or moved; some equal, some short,
/// some in a script without spaces, some empty.
pub fn texts(len: usize, seed: u64) -> Vec<String> {
    let mut random = Random(seed);
    let sentence = |random: &mut Random, wide: bool| {
        let words = 4 + random.below(8);
        let word = |random: &mut Random| match wide {
            true => char::from_u32(0x4e00 + random.below(3000) as u32).map(String::from).unwrap_or_default(),
            false => format!("w{}", random.below(2000)),
        };
        let words: Vec<String> = (0..words).map(|_| word(random)).collect();
        words.join(if wide { "" } else { " " })
    };
    let mut texts: Vec<Vec<String>> = Vec::new();
    for index in 0..len {
        let wide = random.below(8) == 0;
        let mut text = match random.below(4) {
            0 => (0..1 + random.below(60)).map(|_| sentence(&mut random, wide)).collect(),
            // Mostly like one of a few, so that sets are large.
            _ if index > 0 => {
                let of =
                    if random.below(2) == 0 { random.below(index.min(6) as u64) } else { random.below(index as u64) };
                texts[of as usize].clone()
            }
            _ => vec![sentence(&mut random, wide)],
        };
        for _ in 0..random.below(5) {
            let position = random.below(text.len().max(1) as u64) as usize;
            match random.below(4) {
                0 if text.len() > 1 => _ = text.remove(position),
                1 => text.insert(position, sentence(&mut random, wide)),
                2 if !text.is_empty() => text.rotate_left(position),
                _ if !text.is_empty() => text[position] += " end",
                _ => (),
            }
        }
        if random.below(30) == 0 {
            text.clear();
        }
        texts.push(text);
    }
    texts.iter().map(|text| text.join(". ")).collect()
}
