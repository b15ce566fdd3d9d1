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
        let boxes = &mut self.boxes;
        let place = *self.places.entry(to).or_insert_with(|| {
            boxes.push((to, Vec::new()));
            boxes.len() as u32 - 1
        });
        self.boxes[place as usize].1.push(letter);
    }
    /// The letters to each rank that has any.
    pub fn by_receiver(&mut self) -> impl Iterator<Item = (u32, &mut Vec<Letter>)> {
        let boxes = self.boxes.iter_mut().filter(|(_, letters)| !letters.is_empty());
        boxes.map(|(to, letters)| (*to, letters))
    }
}
