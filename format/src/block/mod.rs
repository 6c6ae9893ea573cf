//! Blocks: 1,024 bytes of XOR-Huffman-compressed permuted fingerprints, each decodable by itself (Manku 2007, 3.2;
//! SPEC 5).
//!
//! The first fingerprint is stored whole. Each later one is coded against its predecessor: the code word of h, the
//! position of the leading 1 of their XOR, then the h bits below it. Every R-th entry is coded against the FIRST
//! fingerprint instead, and the head holds its offset in the bit stream: a probe begins at the last of these restart
//! points below its target (the restart points of LevelDB's blocks). With R = 32 they cost about one bit for each
//! fingerprint, and a probe decodes some R / 2 entries instead of half a block.

mod approach;
mod decode;
mod encode;
mod layout;

pub use approach::{Approach, PARTS, Stretch, Stretches};
pub use decode::{Block, decode_four};
pub use encode::BlockEncoder;
pub use layout::{BLOCK_SIZE, CHECKSUM, COUNT, ENTRIES_MAX, FIELDS, FIRST, PADDED_SIZE, Padded, RESTARTS, check};

#[cfg(test)]
mod tests;
