//! Binary format of the record of one training game.
//!
//! A shard's frame (see [`fusion_jobs::shard`]) holds one record. All numbers are bytes or LEB128
//! varints in their shortest form. A string is its length and its UTF-8 bytes. Values of one kind
//! are stored together, which compresses better than storing ply after ply:
//!
//! | field | encoding |
//! | --- | --- |
//! | rule set | string, the canonical expression |
//! | start position | string, the game's text form |
//! | winner | byte: 0 neither player, 1 the first player, 2 the second |
//! | ending | byte: place in [`Description::all_endings`] |
//! | plies | varint, *n* |
//! | kinds | *n* bytes: 0 played without a search, 1 fast search, 2 full search |
//! | moves | *n* varints, [`fusion_game::Notation::encode_move`] |
//! | root win shares | a byte for each searched ply, in 1/255, of the side to move |
//! | root loss shares | the same; the draw share is the rest |
//! | surprises | a byte for each full search, in 1/32 nat |
//! | policy sizes | a varint for each full search |
//! | policy moves | for each full search: move codes ascending; the first as it is, each other as the difference to its predecessor less one |
//! | policy shares | for each full search: varints in 1/1024, none 0, sum 1024 |
//!
//! Legal moves that a policy does not list have share 0.

use std::path::Path;

use anyhow::Context;
use fusion_game::{Describe, Description, Ending, Outcome, Side};
use fusion_jobs::exit::Failure;
use thiserror::Error;

use fusion_jobs::shard::ShardReader;

/// Version of this layout. It is part of a shard's header, so that shards of another version are
/// rejected.
pub const VERSION: u32 = 1;
/// Sum of the shares of a recorded policy.
pub const POLICY_SCALE: u16 = 1024;
/// Steps of [`Target::surprise`] in one nat.
pub const SURPRISE_SCALE: f32 = 32.0;

const NO_SEARCH: u8 = 0;
const FAST_SEARCH: u8 = 1;
const FULL_SEARCH: u8 = 2;

/// One finished training game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The rule set's canonical expression.
    pub rules: String,
    /// The position before the first ply, in the game's text form.
    pub start: String,
    /// How the game ended.
    pub outcome: Outcome,
    /// Every move of the game.
    pub plies: Vec<Ply>,
}

/// One move and the result of the search that chose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move's code.
    pub code: u32,
    /// `None` for a move of the random opening.
    pub search: Option<Searched>,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched {
    /// Value of the root for the side to move.
    pub root: RootWdl,
    /// The policy target; `None` after a fast search.
    pub target: Option<Target>,
}

/// Training target of a full search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Move codes, ascending, with their shares in 1/[`POLICY_SCALE`]; no share is 0.
    pub policy: Vec<(u32, u16)>,
    /// Divergence of this policy from the network's own policy, in 1/[`SURPRISE_SCALE`] nat.
    pub surprise: u8,
}

impl Target {
    /// Quantises a policy. Shares that round to zero are dropped. Returns `None` if the policy is
    /// empty or has no positive finite share.
    #[must_use]
    pub fn new(policy: &[(u32, f32)], surprise: f32) -> Option<Self> {
        let policy = quantise_policy(policy)?;
        let surprise = (surprise.max(0.0) * SURPRISE_SCALE).round().min(255.0) as u8;
        Some(Self { policy, surprise })
    }
}

/// Returns shares in 1/[`POLICY_SCALE`] whose sum is exactly [`POLICY_SCALE`]. Each share is
/// rounded down, and the largest remainders get the rest.
fn quantise_policy(policy: &[(u32, f32)]) -> Option<Vec<(u32, u16)>> {
    let share = |p: f32| {
        if p.is_finite() { f64::from(p.max(0.0)) } else { 0.0 }
    };
    let total: f64 = policy.iter().map(|&(_, p)| share(p)).sum();
    if total <= 0.0 {
        return None;
    }
    let mut shares: Vec<(u32, u16, f64)> = policy
        .iter()
        .map(|&(code, p)| {
            let exact = share(p) / total * f64::from(POLICY_SCALE);
            (code, exact.floor() as u16, exact.fract())
        })
        .collect();
    shares.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
    let given: u16 = shares.iter().map(|s| s.1).sum();
    for slot in shares.iter_mut().take(usize::from(POLICY_SCALE - given)) {
        slot.1 += 1;
    }
    shares.sort_by_key(|s| s.0);
    let kept = shares.into_iter().filter(|s| s.1 > 0);
    Some(kept.map(|(code, quanta, _)| (code, quanta)).collect())
}

/// Win and loss shares of the side to move in 1/255; the rest is the draw's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootWdl {
    win: u8,
    loss: u8,
}

impl RootWdl {
    /// Quantises shares of win, draw and loss.
    #[must_use]
    pub fn new([win, draw, loss]: [f32; 3]) -> Self {
        let total = win + draw + loss;
        if !total.is_finite() || total <= 0.0 {
            return Self { win: 85, loss: 85 };
        }
        let win = (win / total * 255.0).round().clamp(0.0, 255.0) as u8;
        let loss = (loss / total * 255.0).round().clamp(0.0, 255.0) as u8;
        Self { win, loss: loss.min(255 - win) }
    }

    /// Returns the shares of win, draw and loss. Their sum is 1.
    #[must_use]
    pub fn shares(self) -> [f32; 3] {
        let draw = 255 - self.win - self.loss;
        [self.win, draw, self.loss].map(|share| f32::from(share) / 255.0)
    }
}

/// Reason why bytes are not a record.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RecordError {
    /// The bytes end inside a field.
    #[error("the record ends inside its {0}")]
    Short(&'static str),
    /// A field has a value that no writer produces.
    #[error("the record's {0} is invalid")]
    Invalid(&'static str),
    /// Bytes are left after the last field.
    #[error("the record has {0} bytes too many")]
    Trailing(usize),
}

/// Passes every record of a finished shard of training games to `each`.
///
/// # Errors
/// Fails on a shard that is missing (exit code 66), damaged, of another kind or version (65), and
/// on the first error of `each`.
pub fn read_shard<G: Describe>(
    path: &Path,
    mut each: impl FnMut(Record) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let reader = ShardReader::open(path)?;
    let header = reader.header();
    let version = header.parameters.get("records").and_then(serde_json::Value::as_u64);
    if header.kind != crate::generate::KIND || version != Some(u64::from(VERSION)) {
        let message = format!(
            "{}: this is no shard of training games in version {VERSION} of their format",
            path.display()
        );
        return Err(Failure::corrupt(message).into());
    }
    for frame in reader {
        let (number, payload) = frame?;
        let context = || format!("{}: game {number}", path.display());
        let record = decode::<G>(&payload).map_err(Failure::corrupt).with_context(context)?;
        each(record).with_context(context)?;
    }
    Ok(())
}

/// Returns the record's bytes.
#[must_use]
pub fn encode<G: Describe>(record: &Record) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 + record.plies.len() * 24);
    put_string(&mut out, &record.rules);
    put_string(&mut out, &record.start);
    out.push(match record.outcome.winner {
        None => 0,
        Some(Side::First) => 1,
        Some(Side::Second) => 2,
    });
    let mut endings = Description::of::<G>().all_endings();
    let ending = endings.position(|ending| ending == record.outcome.ending);
    out.push(ending.map_or(u8::MAX, |index| index as u8));
    put_varint(&mut out, record.plies.len() as u32);
    out.extend(record.plies.iter().map(|ply| match &ply.search {
        None => NO_SEARCH,
        Some(Searched { target: None, .. }) => FAST_SEARCH,
        Some(Searched { target: Some(_), .. }) => FULL_SEARCH,
    }));
    for ply in &record.plies {
        put_varint(&mut out, ply.code);
    }
    let searched = || record.plies.iter().filter_map(|ply| ply.search.as_ref());
    out.extend(searched().map(|s| s.root.win));
    out.extend(searched().map(|s| s.root.loss));
    let targets = || searched().filter_map(|s| s.target.as_ref());
    out.extend(targets().map(|t| t.surprise));
    for target in targets() {
        put_varint(&mut out, target.policy.len() as u32);
    }
    for target in targets() {
        let mut next = 0;
        for &(code, _) in &target.policy {
            put_varint(&mut out, code - next);
            next = code.saturating_add(1);
        }
    }
    for target in targets() {
        for &(_, share) in &target.policy {
            put_varint(&mut out, u32::from(share));
        }
    }
    out
}

/// Decodes a record.
///
/// # Errors
/// Fails on anything but the exact output of [`encode`].
pub fn decode<G: Describe>(bytes: &[u8]) -> Result<Record, RecordError> {
    let mut input = Input { bytes };
    let rules = input.string("rule set")?;
    let start = input.string("start position")?;
    let outcome = input.outcome(Description::of::<G>())?;
    // Every ply takes at least two bytes, so a hostile count cannot ask for much memory.
    let count = input.count("number of plies")?;
    let kinds = input.take(count, "kinds")?.to_vec();
    if kinds.iter().any(|&kind| kind > FULL_SEARCH) {
        return Err(RecordError::Invalid("kind of search"));
    }
    let mut codes = Vec::with_capacity(count);
    for _ in 0..count {
        codes.push(input.varint("moves")?);
    }
    let full = kinds.iter().filter(|&&kind| kind == FULL_SEARCH).count();
    let searched = kinds.iter().filter(|&&kind| kind != NO_SEARCH).count();
    let mut roots = input.roots(searched)?.into_iter();
    let mut targets = input.targets(full)?.into_iter();
    if !input.bytes.is_empty() {
        return Err(RecordError::Trailing(input.bytes.len()));
    }
    let plies = kinds.into_iter().zip(codes).map(|(kind, code)| Ply {
        code,
        search: (kind != NO_SEARCH).then(|| roots.next()).flatten().map(|root| Searched {
            root,
            target: (kind == FULL_SEARCH).then(|| targets.next()).flatten(),
        }),
    });
    Ok(Record { rules, start, outcome, plies: plies.collect() })
}

fn put_string(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
}

fn put_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// The bytes that remain to be read.
struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], RecordError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(RecordError::Short(what))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn byte(&mut self, what: &'static str) -> Result<u8, RecordError> {
        Ok(self.take(1, what)?[0])
    }

    fn varint(&mut self, what: &'static str) -> Result<u32, RecordError> {
        let mut value = 0u32;
        for shift in (0..32).step_by(7) {
            let byte = self.byte(what)?;
            let bits = u32::from(byte & 0x7f);
            if (bits << shift) >> shift != bits || (byte == 0 && shift > 0) {
                return Err(RecordError::Invalid(what));
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(RecordError::Invalid(what))
    }

    /// Reads a number of items that take at least a byte each.
    fn count(&mut self, what: &'static str) -> Result<usize, RecordError> {
        let count = self.varint(what)? as usize;
        if count > self.bytes.len() {
            return Err(RecordError::Invalid(what));
        }
        Ok(count)
    }

    fn string(&mut self, what: &'static str) -> Result<String, RecordError> {
        let length = self.count(what)?;
        let text = std::str::from_utf8(self.take(length, what)?);
        Ok(text.map_err(|_| RecordError::Invalid(what))?.to_owned())
    }

    fn outcome(&mut self, game: Description) -> Result<Outcome, RecordError> {
        let winner = match self.byte("winner")? {
            0 => None,
            1 => Some(Side::First),
            2 => Some(Side::Second),
            _ => return Err(RecordError::Invalid("winner")),
        };
        let index = usize::from(self.byte("ending")?);
        let ending = game.all_endings().nth(index).ok_or(RecordError::Invalid("ending"))?;
        if winner.is_some() && ending == Ending::CAP {
            return Err(RecordError::Invalid("winner"));
        }
        Ok(Outcome { winner, ending })
    }

    fn roots(&mut self, count: usize) -> Result<Vec<RootWdl>, RecordError> {
        let wins = self.take(count, "root values")?;
        let losses = self.take(count, "root values")?;
        let pair = |(&win, &loss): (&u8, &u8)| {
            win.checked_add(loss)
                .map(|_| RootWdl { win, loss })
                .ok_or(RecordError::Invalid("root value"))
        };
        wins.iter().zip(losses).map(pair).collect()
    }

    fn targets(&mut self, count: usize) -> Result<Vec<Target>, RecordError> {
        let surprises = self.take(count, "surprises")?;
        let mut sizes = Vec::with_capacity(count);
        for _ in 0..count {
            sizes.push(self.count("policy size")?);
        }
        let mut moves = Vec::with_capacity(count);
        for &size in &sizes {
            moves.push(self.policy_moves(size)?);
        }
        let mut targets = Vec::with_capacity(count);
        for (codes, &surprise) in moves.into_iter().zip(surprises) {
            let policy = self.policy_shares(codes)?;
            targets.push(Target { policy, surprise });
        }
        Ok(targets)
    }

    fn policy_moves(&mut self, size: usize) -> Result<Vec<u32>, RecordError> {
        if size == 0 || size > self.bytes.len() {
            return Err(RecordError::Invalid("policy size"));
        }
        let mut codes = Vec::with_capacity(size);
        let mut next = Some(0u32);
        for _ in 0..size {
            let step = self.varint("policy moves")?;
            let code = next.and_then(|next| next.checked_add(step));
            let code = code.ok_or(RecordError::Invalid("policy moves"))?;
            codes.push(code);
            next = code.checked_add(1);
        }
        Ok(codes)
    }

    fn policy_shares(&mut self, codes: Vec<u32>) -> Result<Vec<(u32, u16)>, RecordError> {
        let mut left = u32::from(POLICY_SCALE);
        let mut policy = Vec::with_capacity(codes.len());
        for code in codes {
            let share = self.varint("policy shares")?;
            if share == 0 || share > left {
                return Err(RecordError::Invalid("policy share"));
            }
            left -= share;
            policy.push((code, share as u16));
        }
        if left > 0 {
            return Err(RecordError::Invalid("policy's sum"));
        }
        Ok(policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusion_game::toy::TicTacToe;
    use proptest::prelude::*;

    fn target() -> impl Strategy<Value = Target> {
        let policy = prop::collection::btree_map(any::<u32>(), 0.0f32..1.0, 1..40);
        (policy, 0.0f32..10.0).prop_map(|(policy, surprise)| {
            let mut policy: Vec<_> = policy.into_iter().collect();
            policy[0].1 += 0.01;
            Target::new(&policy, surprise).unwrap()
        })
    }

    fn ply() -> impl Strategy<Value = Ply> {
        let root = (0u8..=255).prop_flat_map(|win| (Just(win), 0..=255 - win));
        let searched = (root, prop::option::of(target()))
            .prop_map(|((win, loss), target)| Searched { root: RootWdl { win, loss }, target });
        (any::<u32>(), prop::option::of(searched)).prop_map(|(code, search)| Ply { code, search })
    }

    fn record() -> impl Strategy<Value = Record> {
        let outcome = (0..Description::of::<TicTacToe>().all_endings().count(), 0..3).prop_map(
            |(ending, winner)| Outcome {
                ending: Description::of::<TicTacToe>().all_endings().nth(ending).unwrap(),
                winner: match winner {
                    _ if Description::of::<TicTacToe>().all_endings().nth(ending).unwrap()
                        == Ending::CAP =>
                    {
                        None
                    }
                    0 => None,
                    1 => Some(Side::First),
                    _ => Some(Side::Second),
                },
            },
        );
        let plies = prop::collection::vec(ply(), 0..30);
        (".{0,20}", ".{0,80}", outcome, plies).prop_map(|(rules, start, outcome, plies)| Record {
            rules,
            start,
            outcome,
            plies,
        })
    }

    proptest! {
        #[test]
        fn records_come_back_as_they_were(record in record()) {
            prop_assert_eq!(decode::<TicTacToe>(&encode::<TicTacToe>(&record)).unwrap(), record);
        }

        /// A strict decoder accepts exactly one encoding of each record.
        #[test]
        fn altered_bytes_never_pass_for_the_same_record(
            record in record(), at in any::<prop::sample::Index>(), flip in 1u8..,
        ) {
            let mut bytes = encode::<TicTacToe>(&record);
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
            if let Ok(other) = decode::<TicTacToe>(&bytes) {
                prop_assert_ne!(&other, &record);
                prop_assert_eq!(encode::<TicTacToe>(&other), bytes);
            }
        }

        #[test]
        fn a_shortened_record_is_rejected(record in record(), at in any::<prop::sample::Index>()) {
            let bytes = encode::<TicTacToe>(&record);
            prop_assert!(decode::<TicTacToe>(&bytes[..at.index(bytes.len())]).is_err());
        }

        #[test]
        fn arbitrary_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode::<TicTacToe>(&bytes);
        }

        #[test]
        fn quantised_policies_are_close(shares in prop::collection::vec(0.0f32..1.0, 1..60)) {
            let total: f32 = shares.iter().sum();
            prop_assume!(total > 0.01);
            let policy: Vec<_> = (0u32..).zip(shares.iter().map(|s| s / total)).collect();
            let quantised = Target::new(&policy, 0.0).unwrap().policy;
            prop_assert_eq!(quantised.iter().map(|&(_, q)| q).sum::<u16>(), POLICY_SCALE);
            for (code, share) in policy {
                let found = quantised.iter().find(|&&(c, _)| c == code).map_or(0, |&(_, q)| q);
                let error = f32::from(found) / f32::from(POLICY_SCALE) - share;
                prop_assert!(error.abs() <= 1.01 / f32::from(POLICY_SCALE));
            }
        }
    }

    #[test]
    fn root_values_are_quantised_within_half_a_step() {
        let root = RootWdl::new([0.2, 0.5, 0.3]);
        for (found, wanted) in root.shares().into_iter().zip([0.2, 0.5, 0.3]) {
            assert!((found - wanted).abs() < 0.004);
        }
        assert_eq!(RootWdl::new([0.5, 0.0, 0.5]).shares()[1], 0.0);
        assert_eq!(RootWdl::new([f32::NAN, 0.0, 1.0]).shares(), [1.0 / 3.0; 3]);
    }

    #[test]
    fn a_huge_count_is_rejected_before_memory_is_asked_for() {
        let mut bytes = vec![0, 0, 0, 0];
        put_varint(&mut bytes, u32::MAX);
        assert_eq!(decode::<TicTacToe>(&bytes), Err(RecordError::Invalid("number of plies")));
    }
}
