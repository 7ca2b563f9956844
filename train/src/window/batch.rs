//! Batches of positions for training: sparse matrices and targets.

use super::BadSample;
use super::positions::{Ends, UNKNOWN_LENGTH};

/// Returns the distinct items of a list, and the index among them of each item of the list.
pub(super) fn distinct(list: &[u16]) -> Result<(Vec<u16>, Vec<u16>), BadSample> {
    let mut items: Vec<u16> = Vec::new();
    let mut places = Vec::with_capacity(list.len());
    for item in list {
        let place = items.iter().position(|known| known == item).unwrap_or_else(|| {
            items.push(*item);
            items.len() - 1
        });
        places.push(u16::try_from(place).map_err(|_| BadSample::Rows(place + 1))?);
    }
    Ok((items, places))
}

/// A batch of positions for training.
#[derive(Debug, Default)]
pub struct Batch {
    /// The active inputs.
    pub features: Incidence,
    /// The policy rows of the legal moves, for positions with a policy.
    pub rows: Incidence,
    /// The legal moves of these positions.
    pub moves: Moves,
    /// The value target, three numbers a position.
    pub values: Vec<f32>,
    /// Logarithm of one more than the plies to the end of the game; negative if unknown.
    pub lengths: Vec<f32>,
    /// Win, draw and loss a few plies ahead, three numbers a position.
    pub horizons: Vec<f32>,
    /// Weight of each position.
    pub weights: Vec<f32>,
}

/// The legal moves of a batch's positions, one after the other.
#[derive(Debug, Default)]
pub struct Moves {
    /// Start of each position's moves, and the end of the last.
    pub offsets: Vec<i32>,
    /// The position of each move.
    pub positions: Vec<i32>,
    /// Each move's rows: indices into the columns of [`Batch::rows`].
    pub terms: Vec<i32>,
    /// The policy target.
    pub shares: Vec<f32>,
    /// Largest number of moves of a position.
    pub longest: usize,
}

/// A sparse matrix of zeros and ones, listed by rows (positions) and again by columns
/// (inputs or policy rows). With the second list, the gradient of a weight matrix is the same
/// kind of sum as the forward pass, without a scatter.
#[derive(Debug, Default)]
pub struct Incidence {
    /// Start of each row's columns, and the end of the last.
    pub row_offsets: Vec<i32>,
    /// The columns, row by row.
    pub columns: Vec<i32>,
    /// The row of each of `columns`.
    pub rows: Vec<i32>,
    /// Start of each column's rows, and the end of the last.
    pub column_offsets: Vec<i32>,
    /// Indices into `columns` and `rows`, column by column.
    pub by_column: Vec<i32>,
    /// The rows, column by column.
    pub rows_by_column: Vec<i32>,
}

/// The training target of a position, without the policy.
pub(super) struct Target {
    pub(super) values: [f32; 3],
    pub(super) length: f32,
    pub(super) horizon: [f32; 3],
    pub(super) weight: f32,
}

impl Target {
    /// An empty target, for positions that are only evaluated.
    const NONE: Self =
        Self { values: [0.0; 3], length: UNKNOWN_LENGTH, horizon: [0.0; 3], weight: 1.0 };
}

/// A builder of batches.
pub(super) struct Builder {
    ends: Ends,
    features: Lists,
    rows: Lists,
    batch: Batch,
}

impl Builder {
    pub(super) fn with_capacity(ends: Ends, positions: usize) -> Self {
        let mut batch = Batch::default();
        batch.moves.offsets.push(0);
        Self {
            ends,
            features: Lists::with_capacity(positions),
            rows: Lists::with_capacity(positions),
            batch,
        }
    }

    /// Adds the inputs of the next position, mapped by the table if given.
    pub(super) fn inputs(&mut self, features: &[u16], table: Option<&[u16]>) {
        self.features.push(features, table);
    }

    /// Adds its policy rows, mapped by the table if given, and the places of its moves'
    /// rows among them.
    pub(super) fn moves(&mut self, rows: &[u16], table: Option<&[u16]>, terms: &[u16]) {
        let first = self.rows.columns.len() as i32;
        let position = self.rows.row_offsets.len() as i32 - 1;
        self.rows.push(rows, table);
        let moves = &mut self.batch.moves;
        moves.terms.extend(terms.iter().map(|&place| first + i32::from(place)));
        let count = moves.terms.len() / self.ends.terms;
        moves.longest = moves.longest.max(count - moves.positions.len());
        moves.positions.resize(count, position);
        moves.offsets.push(count as i32);
    }

    /// Adds the target: shares of the moves in any unit, and the rest.
    pub(super) fn target(&mut self, shares: &[u16], target: &Target) {
        let total: f32 = shares.iter().map(|&share| f32::from(share)).sum();
        let batch = &mut self.batch;
        batch.moves.shares.extend(shares.iter().map(|&share| f32::from(share) / total));
        batch.values.extend_from_slice(&target.values);
        batch.lengths.push(target.length);
        batch.horizons.extend_from_slice(&target.horizon);
        batch.weights.push(target.weight);
    }

    pub(super) fn finish(self) -> Batch {
        Batch {
            features: self.features.incidence(self.ends.features),
            rows: self.rows.incidence(self.ends.policy),
            ..self.batch
        }
    }
}

impl Batch {
    /// Makes a batch for evaluation only, without targets. It has the inputs of each position and
    /// the policy rows of its moves, all below `ends`.
    ///
    /// # Errors
    /// A position has too many different policy rows.
    pub fn of_leaves(ends: Ends, leaves: &[(Vec<u16>, Vec<u16>)]) -> Result<Self, BadSample> {
        let mut builder = Builder::with_capacity(ends, leaves.len());
        for (features, rows) in leaves {
            builder.inputs(features, None);
            let (rows, terms) = distinct(rows)?;
            builder.moves(&rows, None, &terms);
            let moves = vec![1; terms.len() / ends.terms];
            builder.target(&moves, &Target::NONE);
        }
        Ok(builder.finish())
    }
}

/// Lists of columns, row by row.
pub(crate) struct Lists {
    row_offsets: Vec<i32>,
    columns: Vec<i32>,
    rows: Vec<i32>,
}

impl Lists {
    pub(crate) fn with_capacity(rows: usize) -> Self {
        let mut row_offsets = Vec::with_capacity(rows + 1);
        row_offsets.push(0);
        Self {
            row_offsets,
            columns: Vec::with_capacity(rows * 40),
            rows: Vec::with_capacity(rows * 40),
        }
    }

    /// Adds a row with these columns, mapped by the table if given.
    pub(crate) fn push(&mut self, columns: &[u16], table: Option<&[u16]>) {
        let row = self.row_offsets.len() as i32 - 1;
        let column = |&column: &u16| i32::from(table.map_or(column, |t| t[usize::from(column)]));
        self.columns.extend(columns.iter().map(column));
        self.rows.resize(self.columns.len(), row);
        self.row_offsets.push(self.columns.len() as i32);
    }

    /// Converts to a matrix with the list by columns, by a counting sort.
    pub(crate) fn incidence(self, width: usize) -> Incidence {
        let mut column_offsets = vec![0i32; width + 1];
        for &column in &self.columns {
            column_offsets[column as usize + 1] += 1;
        }
        for column in 0..width {
            column_offsets[column + 1] += column_offsets[column];
        }
        let mut next = column_offsets.clone();
        let mut by_column = vec![0i32; self.columns.len()];
        let mut rows_by_column = vec![0i32; self.columns.len()];
        for (index, (&column, &row)) in self.columns.iter().zip(&self.rows).enumerate() {
            let slot = &mut next[column as usize];
            by_column[*slot as usize] = index as i32;
            rows_by_column[*slot as usize] = row;
            *slot += 1;
        }
        Incidence {
            row_offsets: self.row_offsets,
            columns: self.columns,
            rows: self.rows,
            column_offsets,
            by_column,
            rows_by_column,
        }
    }
}
