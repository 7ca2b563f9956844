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
//! | kinds | *n* bytes: 0 played without a search, 1 fast tree search, 2 full tree search, 3 alpha-beta search |
//! | moves | *n* varints, [`fusion_game::Notation::encode_move`] |
//! | root win shares | a byte for each tree search, in 1/255, of the side to move |
//! | root loss shares | the same; the draw share is the rest |
//! | root values | for each alpha-beta search a varint, see [`RootValue::value`]: twice the value, or twice its magnitude less one if it is negative |
//! | drawishness | a byte for each alpha-beta search, in 1/255 |
//! | surprises | a byte for each full search, in 1/32 nat |
//! | policy sizes | a varint for each full search |
//! | policy moves | for each full search: move codes ascending; the first as it is, each other as the difference to its predecessor less one |
//! | policy shares | for each full search: varints in 1/1024, none 0, sum 1024 |
//!
//! Legal moves that a policy does not list have share 0.

mod root;

use std::path::Path;

use anyhow::Context;
use fusion_game::{Describe, Description, Ending, Outcome, Side};
use fusion_jobs::exit::Failure;
use fusion_search::pvs::MATE;
use thiserror::Error;

use fusion_jobs::shard::ShardReader;

pub use root::{Root, RootValue, RootWdl};

/// Version of this layout. It is part of a shard's header, so that shards of another version are
/// rejected.
pub const VERSION: u32 = 2;
/// Sum of the shares of a recorded policy.
pub const POLICY_SCALE: u16 = 1024;
/// Steps of [`Target::surprise`] in one nat.
pub const SURPRISE_SCALE: f32 = 32.0;

const NO_SEARCH: u8 = 0;
const FAST_SEARCH: u8 = 1;
const FULL_SEARCH: u8 = 2;
const ALPHA_BETA: u8 = 3;

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
    pub root: Root,
    /// The policy target; `None` after a fast search, and after an alpha-beta search, which has none.
    pub target: Option<Target>,
}

/// Training target of a full search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Move codes, ascending, with their shares in 1/[`POLICY_SCALE`]; no share is 0.
    pub policy: Vec<(u32, u16)>,
    /// Divergence of this policy from the network's own policy, in 1/[`SURPRISE_SCALE`] nat. Training
    /// does not use it; the layout has it.
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

/// Opens a shard of training games.
///
/// # Errors
/// Fails on a file that is missing (exit code 66), damaged, or of another kind or version (65).
pub fn open(path: &Path) -> anyhow::Result<ShardReader> {
    let reader = ShardReader::open(path)?;
    let header = reader.header();
    let version = header.parameters.get("records").and_then(serde_json::Value::as_u64);
    if header.kind != crate::generate::KIND || version != Some(u64::from(VERSION)) {
        let found = match version {
            Some(version) => format!("version {version} of the format"),
            None => format!("kind {:?}", header.kind),
        };
        let message = format!(
            "{}: this shard has {found}; it must have training games in version {VERSION}: \
             generate them again",
            path.display()
        );
        return Err(Failure::corrupt(message).into());
    }
    Ok(reader)
}

/// Passes every record of a finished shard of training games to `each`.
///
/// # Errors
/// Fails as [`open`] does, on a damaged record (exit code 65), and on the first error of `each`.
pub fn read_shard<G: Describe>(
    path: &Path,
    mut each: impl FnMut(Record) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for frame in open(path)? {
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
        Some(Searched { root: Root::Value(_), .. }) => ALPHA_BETA,
        Some(Searched { target: None, .. }) => FAST_SEARCH,
        Some(Searched { target: Some(_), .. }) => FULL_SEARCH,
    }));
    for ply in &record.plies {
        put_varint(&mut out, ply.code);
    }
    let searched = || record.plies.iter().filter_map(|ply| ply.search.as_ref());
    let trees = || {
        searched().filter_map(|s| match s.root {
            Root::Wdl(root) => Some((root, s.target.as_ref())),
            Root::Value(_) => None,
        })
    };
    let values = || {
        searched().filter_map(|s| match s.root {
            Root::Wdl(_) => None,
            Root::Value(root) => Some(root),
        })
    };
    out.extend(trees().map(|(root, _)| root.win));
    out.extend(trees().map(|(root, _)| root.loss));
    values().for_each(|root| put_varint(&mut out, zigzag(root.value)));
    out.extend(values().map(|root| root.drawishness));
    let targets = || trees().filter_map(|(_, target)| target);
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
    if kinds.iter().any(|&kind| kind > ALPHA_BETA) {
        return Err(RecordError::Invalid("kind of search"));
    }
    let mut codes = Vec::with_capacity(count);
    for _ in 0..count {
        codes.push(input.varint("moves")?);
    }
    let number = |of: u8| kinds.iter().filter(|&&kind| kind == of).count();
    let full = number(FULL_SEARCH);
    let mut roots = input.roots(number(FAST_SEARCH) + full)?.into_iter();
    let mut values = input.values(number(ALPHA_BETA))?.into_iter();
    let mut targets = input.targets(full)?.into_iter();
    if !input.bytes.is_empty() {
        return Err(RecordError::Trailing(input.bytes.len()));
    }
    let plies = kinds.into_iter().zip(codes).map(|(kind, code)| {
        let root = match kind {
            NO_SEARCH => None,
            ALPHA_BETA => values.next().map(Root::Value),
            _ => roots.next().map(Root::Wdl),
        };
        let target = if kind == FULL_SEARCH { targets.next() } else { None };
        Ply { code, search: root.map(|root| Searched { root, target }) }
    });
    Ok(Record { rules, start, outcome, plies: plies.collect() })
}

/// Maps a value to a number that is small if its magnitude is.
fn zigzag(value: i16) -> u32 {
    let value = i32::from(value);
    (value << 1 ^ value >> 31) as u32
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
        let needed = [(Ending::CAP, false), (Ending::VALUE, true)];
        if needed.contains(&(ending, winner.is_none())) {
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

    fn values(&mut self, count: usize) -> Result<Vec<RootValue>, RecordError> {
        let mut values = Vec::with_capacity(count);
        for _ in 0..count {
            let code = self.varint("root values")?;
            let value = (code >> 1) as i32 ^ -((code & 1) as i32);
            if value.abs() > MATE {
                return Err(RecordError::Invalid("root value"));
            }
            values.push(value as i16);
        }
        let drawishness = self.take(count, "drawishness")?;
        let root = |(value, &drawishness)| RootValue { value, drawishness };
        Ok(values.into_iter().zip(drawishness).map(root).collect())
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
        let tree = (root, prop::option::of(target())).prop_map(|((win, loss), target)| Searched {
            root: Root::Wdl(RootWdl { win, loss }),
            target,
        });
        let value = (-MATE..=MATE, any::<u8>()).prop_map(|(value, drawishness)| Searched {
            root: Root::Value(RootValue { value: value as i16, drawishness }),
            target: None,
        });
        let searched = prop_oneof![tree, value];
        (any::<u32>(), prop::option::of(searched)).prop_map(|(code, search)| Ply { code, search })
    }

    fn record() -> impl Strategy<Value = Record> {
        let mut endings = Description::of::<TicTacToe>().all_endings();
        let adjudicated = endings.position(|ending| ending == Ending::VALUE).unwrap();
        let outcome = (0..Description::of::<TicTacToe>().all_endings().count(), 0..3).prop_map(
            move |(ending, winner)| Outcome {
                ending: Description::of::<TicTacToe>().all_endings().nth(ending).unwrap(),
                winner: match winner {
                    _ if Description::of::<TicTacToe>().all_endings().nth(ending).unwrap()
                        == Ending::CAP =>
                    {
                        None
                    }
                    0 if ending != adjudicated => None,
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
    fn a_huge_count_is_rejected_before_memory_is_asked_for() {
        let mut bytes = vec![0, 0, 0, 0];
        put_varint(&mut bytes, u32::MAX);
        assert_eq!(decode::<TicTacToe>(&bytes), Err(RecordError::Invalid("number of plies")));
    }
}
