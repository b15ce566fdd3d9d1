//! The symbols that an object defines, by its own hash table (DT_GNU_HASH): no scope is searched, and no lock of the
//! loader is taken.

use std::ffi::{CStr, c_char};

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
    /// The version of each symbol; null if the object has no versions.
    versions: *const u16,
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
    /// The hash table at `table` of an object that is loaded at `base`, with its tables of symbols, strings and versions.
    /// `None` if one of the first three is missing.
    ///
    /// # Safety
    /// Each address must be 0 or that of the object's table.
    pub unsafe fn from_tables(
        table: usize,
        base: usize,
        symbols: *const libc::Elf64_Sym,
        strings: usize,
        versions: usize,
    ) -> Option<Exports> {
        if table == 0 || symbols.is_null() || strings == 0 {
            return None;
        }
        // SAFETY: the caller's promise.
        let [buckets, first, words, shift] = unsafe { *(table as *const [u32; 4]) };
        let filter = (table + size_of::<[u32; 4]>()) as *const u64;
        let versions = versions as *const u16;
        let exports = Exports { base, symbols, strings, buckets, first, words, shift, filter, versions };
        (buckets > 0 && words > 0).then_some(exports)
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
            let bucket = self.filter.add(self.words as usize).cast::<u32>().add((hash % self.buckets) as usize);
            let is_it = |at: &u32| {
                self.hash(*at) | 1 == hash | 1 && self.is_current(*at) && self.name(*at) == name.text.as_ref()
            };
            let found = self.chain(*bucket).find(is_it)?;
            Some(self.base + (*self.symbols.add(found as usize)).st_value as usize)
        }
    }

    /// The name of a symbol that the object defines at an address.
    ///
    /// # Safety
    /// The object must still be loaded.
    pub unsafe fn name_at(&self, address: usize) -> Option<String> {
        // SAFETY: the object is loaded, and the reads follow the table's layout.
        unsafe {
            let buckets = self.filter.add(self.words as usize).cast::<u32>();
            let mut all = (0..self.buckets as usize).flat_map(|bucket| self.chain(*buckets.add(bucket)));
            let begins = |at: &u32| {
                let symbol = &*self.symbols.add(*at as usize);
                symbol.st_shndx != 0 && self.base + symbol.st_value as usize == address
            };
            all.find(begins).map(|at| self.name(at).to_string_lossy().into_owned())
        }
    }

    /// The symbols of a bucket, from its first on.
    ///
    /// # Safety
    /// The object must still be loaded.
    unsafe fn chain(&self, first: u32) -> impl Iterator<Item = u32> {
        let mut next = (first >= self.first).then_some(first);
        std::iter::from_fn(move || {
            let at = next?;
            // SAFETY: by the contract; the symbol is one of the chain.
            next = (unsafe { self.hash(at) } & 1 == 0).then_some(at + 1);
            Some(at)
        })
    }

    /// The hash of a symbol, odd if it is the last of its bucket.
    unsafe fn hash(&self, at: u32) -> u32 {
        let hashes = self.words as usize * 2 + self.buckets as usize;
        // SAFETY: the hashes follow the filter and the buckets.
        unsafe { *self.filter.cast::<u32>().add(hashes + (at - self.first) as usize) }
    }

    unsafe fn name(&self, at: u32) -> &CStr {
        // SAFETY: the object is loaded, and its names are terminated.
        unsafe { CStr::from_ptr((self.strings + (*self.symbols.add(at as usize)).st_name as usize) as *const c_char) }
    }

    /// True if the object defines the symbol, in no outdated version, at an address that is the function's own rather
    /// than that of a function which chooses it.
    unsafe fn is_current(&self, at: u32) -> bool {
        const HIDDEN: u16 = 1 << 15;
        const CHOOSES: u8 = 10;
        // SAFETY: the object is loaded.
        unsafe {
            let symbol = &*self.symbols.add(at as usize);
            let is_outdated = !self.versions.is_null() && *self.versions.add(at as usize) & HIDDEN != 0;
            symbol.st_shndx != 0 && symbol.st_info & 0xf != CHOOSES && !is_outdated
        }
    }
}
