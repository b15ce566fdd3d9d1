//! The symbols that an object defines, by its own hash table (DT_GNU_HASH): no scope is searched, and no lock of the
//! loader is taken.

use std::ffi::CStr;

/// An object's hash table. In memory: four numbers (buckets, first symbol, words of the filter, its shift), a Bloom
/// filter of 64-bit words, the buckets, and the hashes of all symbols from the first on; the last hash of a bucket is
/// odd.
pub struct Exports {
    base: usize,
    symbols: *const libc::Elf64_Sym,
    strings: usize,
    buckets: u32,
    first: u32,
    words: u32,
    shift: u32,
    filter: *const u64,
}

/// A symbol's name with its hash, to look it up in many objects.
pub struct SymbolName<S> {
    text: S,
    hash: u32,
}

impl<S: AsRef<CStr>> SymbolName<S> {
    pub fn new(text: S) -> SymbolName<S> {
        let add = |hash: u32, byte: &u8| hash.wrapping_mul(33).wrapping_add(*byte as u32);
        let hash = text.as_ref().to_bytes().iter().fold(5381, add);
        SymbolName { text, hash }
    }
}

impl Exports {
    /// The hash table at `table` of an object that is loaded at `base`, with its tables of symbols and strings. `None`
    /// if one of them is missing.
    ///
    /// # Safety
    /// Each address must be 0 or that of the object's table.
    pub unsafe fn from_tables(
        table: usize,
        base: usize,
        symbols: *const libc::Elf64_Sym,
        strings: usize,
    ) -> Option<Exports> {
        if table == 0 || symbols.is_null() || strings == 0 {
            return None;
        }
        // SAFETY: the caller's promise.
        let [buckets, first, words, shift] = unsafe { *(table as *const [u32; 4]) };
        let filter = (table + size_of::<[u32; 4]>()) as *const u64;
        (buckets > 0 && words > 0).then_some(Exports { base, symbols, strings, buckets, first, words, shift, filter })
    }

    /// The address of the symbol, if the object defines it.
    ///
    /// # Safety
    /// The object must still be loaded.
    pub unsafe fn find(&self, name: &SymbolName<impl AsRef<CStr>>) -> Option<usize> {
        let hash = name.hash;
        let bits = 1u64 << (hash % 64) | 1u64 << ((hash >> self.shift) % 64);
        // SAFETY: the object is loaded, and the reads follow the table's layout.
        unsafe {
            // The number of words is a power of two.
            if *self.filter.add(((hash / 64) & (self.words - 1)) as usize) & bits != bits {
                return None;
            }
            let bucket = self.filter.add(self.words as usize).cast::<u32>();
            let hashes = bucket.add(self.buckets as usize);
            let mut at = *bucket.add((hash % self.buckets) as usize);
            if at < self.first {
                return None;
            }
            loop {
                let other = *hashes.add((at - self.first) as usize);
                let symbol = &*self.symbols.add(at as usize);
                if other | 1 == hash | 1
                    && symbol.st_shndx != 0
                    && CStr::from_ptr((self.strings + symbol.st_name as usize) as *const _) == name.text.as_ref()
                {
                    return Some(self.base + symbol.st_value as usize);
                }
                if other & 1 == 1 {
                    return None;
                }
                at += 1;
            }
        }
    }
}
