//! Aligns two sequences: finds the pairs in the order of both whose weights add up to most.

/// Pairs of indices, both ascending. `weight` is `None` for elements that do not fit.
pub fn align(lengths: (usize, usize), weight: impl Fn(usize, usize) -> Option<f64>) -> Vec<(usize, usize)> {
    let (rows, columns) = lengths;
    let at = |row: usize, column: usize| row * (columns + 1) + column;
    // The most that the elements from a row and a column on can add up to.
    let mut most = vec![0.0_f64; (rows + 1) * (columns + 1)];
    let with = |most: &[f64], row: usize, column: usize| Some(weight(row, column)? + most[at(row + 1, column + 1)]);
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let without = most[at(row + 1, column)].max(most[at(row, column + 1)]);
            most[at(row, column)] = with(&most, row, column).map_or(without, |with| with.max(without));
        }
    }
    let mut pairs = Vec::new();
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        let here = most[at(row, column)];
        if with(&most, row, column).is_some_and(|with| with >= here) {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if most[at(row + 1, column)] >= here {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::align;

    #[test]
    fn the_heavier_of_two_alignments_is_taken() {
        let [a, b] = [["send 8", "send 8", "wait"], ["send 4", "send 8", "wait"]];
        let weight = |one: usize, other: usize| {
            let is_fitting = a[one].split(' ').next() == b[other].split(' ').next();
            is_fitting.then(|| if a[one] == b[other] { 2.0 } else { 1.0 })
        };
        assert_eq!(align((3, 3), weight), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(align((1, 3), weight), [(0, 1)]);
        assert_eq!(align((0, 3), weight), []);
    }
}
