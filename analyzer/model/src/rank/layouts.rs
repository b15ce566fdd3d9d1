//! What a rank's calls hand to each process, and in how many pieces it lies.

use traces::definitions::{CallLayout, Datatype, EqualParts, Parts};
use traces::layout;
use traces::signature::Signature;

use super::{ByNumber, Rank};
use crate::tally::CallTotal;

/// Lists of parts and layouts by the number in signatures, and the datatypes that these refer to.
#[derive(Default)]
pub struct Layouts {
    parts: ByNumber<Vec<EqualParts>>,
    layouts: ByNumber<CallLayout>,
    datatypes: ByNumber<Datatype>,
}

impl Layouts {
    pub fn define_parts(&mut self, parts: Parts) {
        self.parts.insert(parts.number, parts.runs);
    }

    pub fn define_layout(&mut self, layout: CallLayout) {
        self.layouts.insert(layout.number, layout);
    }

    pub fn define_datatype(&mut self, datatype: Datatype) {
        self.datatypes.insert(datatype.number, datatype);
    }
}

impl Rank {
    /// The parts that calls of a signature hand to each process, if the file has them.
    pub fn parts(&self, signature: &Signature) -> Option<&[EqualParts]> {
        let Layouts { parts, layouts, .. } = &self.layouts;
        let number = layouts.get(&signature.parts).map_or(signature.parts, |layout| layout.parts);
        parts.get(&number).map(Vec::as_slice)
    }

    /// True if the recorder described datatypes: then calls without a layout hand over bytes side by side.
    pub fn knows_layouts(&self) -> bool {
        !self.layouts.datatypes.is_empty()
    }

    /// The pieces that one call of a signature hands out, and those that it is to receive; `None` where all bytes lie side by side, or where
    /// nobody knows.
    pub fn pieces(&self, signature: &Signature) -> Option<[u64; 2]> {
        let Layouts { layouts, datatypes, .. } = &self.layouts;
        let layout = layouts.get(&signature.parts)?;
        let datatype = |number| datatypes.get(&number).copied();
        let (sent, received) = signature.moves();
        let pieces = |bytes, elements| if bytes == 0 { Some(0) } else { layout::pieces(elements, datatype) };
        Some([pieces(sent, &layout.sent)?, pieces(received, &layout.received)?])
    }

    /// The pieces that the calls of a signature have handed out and received, where datatypes scatter them; else 0. Those that begin a
    /// persistent request count once, as the bytes that they prepare do: a profile knows no starts.
    pub fn pieces_of_calls(&self, calls: &CallTotal) -> u64 {
        let Some([sent, received]) = self.pieces(&calls.signature) else { return 0 };
        sent.saturating_add(received).saturating_mul(calls.count.saturating_sub(calls.open + calls.failed))
    }
}
