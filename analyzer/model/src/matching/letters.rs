//! Letters on their way out of a rank.

use rustc_hash::FxHashMap;

use super::Letter;

/// Letters from a rank to others; order is kept for each receiver.
#[derive(Default)]
pub struct Letters {
    boxes: Vec<(u32, Vec<Letter>)>,
    places: FxHashMap<u32, u32>,
}

impl Letters {
    #[inline]
    pub fn send(&mut self, to: u32, letter: Letter) {
        let place = self.places.get(&to).copied().unwrap_or_else(|| self.begin(to));
        self.boxes[place as usize].1.push(letter);
    }

    #[cold]
    fn begin(&mut self, to: u32) -> u32 {
        let place = self.boxes.len() as u32;
        self.boxes.push((to, Vec::new()));
        self.places.insert(to, place);
        place
    }

    /// The letters to each rank that has any.
    pub fn by_receiver(&mut self) -> impl Iterator<Item = (u32, &mut Vec<Letter>)> {
        let boxes = self.boxes.iter_mut().filter(|(_, letters)| !letters.is_empty());
        boxes.map(|(to, letters)| (*to, letters))
    }
}
