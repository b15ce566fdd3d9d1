//! The layout of a page: its header, and items that a first word publishes each.

use crate::definitions::{Definition, PREFIX};
use crate::file::{PageHeader, PageKind, ProfileEntry};
use crate::live::{LiveWords, see_published};
use crate::signature::Signature;

pub(super) const WORD: usize = size_of::<u64>();
/// Words of a page's header.
pub(super) const HEADER: usize = size_of::<PageHeader>() / WORD;

/// Kind and header of the page at the begin of the words, if it has begun.
pub(super) fn page_begun(words: LiveWords<'_>) -> Option<(PageKind, &PageHeader)> {
    let kind = PageKind::from_number(words.get(0)? as u32)?;
    // SAFETY: the kind publishes the header.
    let header: &PageHeader = unsafe { words.item(0) }?;
    (header.units > 0).then_some((kind, header))
}

/// The entries of a page of a profile.
pub(super) fn entries_of(body: LiveWords<'_>) -> impl Iterator<Item = ProfileEntry> {
    entries(body).map_while(|entry| entry)
}

/// The entries as they are now; `None` for a free one. The signature publishes an entry, and the counts change.
pub(super) fn entries(words: LiveWords<'_>) -> impl Iterator<Item = Option<ProfileEntry>> {
    let ends = (0..words.len()).step_by(size_of::<ProfileEntry>() / WORD);
    ends.map_while(move |at| {
        let is_used = words.get(at)? as u32 != 0;
        see_published();
        Some(words.copy(at)?).map(|entry| Some(entry).filter(|_| is_used))
    })
}

/// The signatures of a page after the first `known` ones. The first word, with the number, publishes a signature.
pub(super) fn signatures_of(body: LiveWords<'_>, known: usize) -> impl Iterator<Item = &Signature> {
    const WORDS: usize = size_of::<Signature>() / WORD;
    (known..).map_while(move |at| {
        let at = at.checked_mul(WORDS)?;
        body.get(at).filter(|first| *first as u32 != 0)?;
        // SAFETY: the first word was found written.
        unsafe { body.item(at) }
    })
}

/// The definition at a word of a page's body, and the word of the next one. The length, which is the first word,
/// publishes a definition. Fails with the length if it does not fit into the page.
pub(super) fn definition_at(body: LiveWords<'_>, at: usize) -> Option<Result<(&[u8], usize), u32>> {
    let length = body.get(at).map(|first| first as u32).filter(|length| *length > 0)?;
    // SAFETY: the length was found written.
    let found = unsafe { body.bytes(at + PREFIX / WORD, length as usize) };
    Some(found.map(|bytes| (bytes, at + Definition::padded(bytes.len()) / WORD)).ok_or(length))
}
