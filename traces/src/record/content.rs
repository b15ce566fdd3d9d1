//! The content of messages, as checksums of their bytes.

use super::{RecordKind, bits};

/// The content of a message, or of the part of a collective call for one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Content {
    /// True if it was received rather than sent.
    pub received: bool,
    /// The process's rank in the communicator, or its place among the neighbors; [`peer::NONE`](crate::signature::peer)
    /// for everything that the call sends or receives.
    pub part: i32,
    pub bytes: u64,
    /// CRC-32 (IEEE 802.3) of the bytes in the order of the datatype's type map.
    pub checksum: Result<u32, UntakenReason>,
}

/// The reason why no checksum was taken.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UntakenReason {
    /// The memory is not the processor's, or the system does not say whether it is.
    Memory = 1,
    /// MPI packs elements of the datatype in a format of its own.
    Packing,
    /// One element of the datatype is too large to be packed.
    Size,
    /// The datatype was new to the recorder when the call overwrote the sent data.
    Datatype,
}

impl UntakenReason {
    const ALL: [UntakenReason; 4] =
        [UntakenReason::Memory, UntakenReason::Packing, UntakenReason::Size, UntakenReason::Datatype];
}

impl Content {
    /// The two words of the record.
    pub fn words(self) -> [u64; 2] {
        let most = (1 << bits!(Content.bytes).width) - 1;
        let (untaken, checksum) = self.checksum.map_or_else(|reason| (reason as u64, 0), |checksum| (0, checksum));
        [
            RecordKind::Content.word()
                | bits!(Content.received).put(self.received.into())
                | bits!(Content.untaken).put(untaken)
                | bits!(Content.bytes).put(self.bytes.min(most)),
            bits!(Content.part).put_signed(self.part.into()) | bits!(Content.checksum).put(checksum.into()),
        ]
    }

    /// Decodes the two words.
    pub fn from_words(words: [u64; 2]) -> Content {
        let untaken = bits!(Content.untaken).get(words[0]);
        let reason = UntakenReason::ALL.into_iter().find(|reason| *reason as u64 == untaken);
        Content {
            received: bits!(Content.received).get(words[0]) != 0,
            part: bits!(Content.part).get_signed(words[1]) as i32,
            bytes: bits!(Content.bytes).get(words[0]),
            checksum: match untaken {
                0 => Ok(bits!(Content.checksum).get(words[1]) as u32),
                _ => Err(reason.unwrap_or(UntakenReason::Datatype)),
            },
        }
    }
}
