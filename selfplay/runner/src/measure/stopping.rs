//! The stopping rule: looks at the evidence after fixed numbers of openings, in any number of shards.
//!
//! The games up to a look that follow the look before are a block, and every shard has a part of every
//! block ([`fusion_jobs::deal`]). After its part of a block a shard reads the games that the others have
//! saved so far. It ends when all games up to a look are there and the look decides.
//!
//! A shard waits for no other one: until a look has decided it plays on. So it may hold games after that
//! look, more or fewer of them, as the tasks happened to run. The results leave these out: a look
//! depends only on the games before it, and the first one that decides is the last of the measurement.

use std::ops::Range;

use fusion_game::{CompleteGame, Description};
use fusion_jobs::cluster;
use fusion_jobs::deal::{games_in_blocks, games_of_block};
use fusion_jobs::exit::note;
use fusion_jobs::progress::Progress;
use fusion_jobs::runner::{self, Run, Shard};
use fusion_jobs::shard::{FollowedPart, Opened, ShardError, ShardReader, ShardWriter, part_path};
use fusion_jobs::stop::Stop;
use fusion_study::StopRule;

use super::{Measurement, Settings, Tally, count};

/// The looks at a measurement's games, in their order.
pub(super) struct Looks {
    rule: StopRule,
    tally: Tally,
    /// Number of looks that did not decide.
    undecided: u64,
}

impl Looks {
    pub(super) fn new(rule: StopRule, settings: &Settings) -> Self {
        Self { rule, tally: Tally::new(settings, 0), undecided: 0 }
    }

    /// Returns the count of the games, to which all finished games are added.
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Returns the number of openings at the first look that decides, once all games up to it are
    /// counted.
    pub(super) fn decided(&mut self) -> Option<u64> {
        let counted = self.tally.openings();
        loop {
            let openings = (self.undecided + 1) * u64::from(self.rule.every);
            if openings > counted {
                return None;
            }
            if self.tally.evidence(openings) >= 1.0 / self.rule.alpha {
                return Some(openings);
            }
            self.undecided += 1;
        }
    }
}

impl<G: CompleteGame> Measurement<G> {
    /// Plays the games that some shards lack, block by block, until a look decides.
    pub(super) fn play_until_decided(
        &self,
        rule: StopRule,
        shards: Range<u32>,
        stop: &Stop,
    ) -> anyhow::Result<Vec<(u32, Shard)>> {
        let mut outcomes = Vec::new();
        let mut own = Vec::new();
        for shard in shards {
            outcomes.push(match self.run.open(shard)? {
                Opened::Complete => (shard, Shard::AlreadyComplete),
                Opened::Unfinished(writer) => {
                    own.push((shard, writer));
                    (shard, Shard::Finished)
                }
            });
        }
        if own.is_empty() {
            return Ok(outcomes);
        }
        let mut looks = Looks::new(rule, self.settings());
        for (_, writer) in &own {
            self.count_saved(writer, looks.tally(), stop)?;
        }
        let progress = self.progress(&own);
        let played = self.play_blocks(&mut own, &mut looks, stop, &progress);
        progress.finish();
        played?;
        for (_, writer) in own {
            writer.finish()?;
        }
        note(looks.tally());
        Ok(outcomes)
    }

    /// Returns the progress display of some shards.
    fn progress(&self, own: &[(u32, ShardWriter)]) -> Progress {
        let Run { shards, games, .. } = self.run;
        let block = self.settings().block();
        let of_shard =
            |shard| games_in_blocks(shard, shards, games, block).map(|own| own.end - own.start);
        let planned = own.iter().flat_map(|(shard, _)| of_shard(*shard)).sum();
        let done = own.iter().map(|(_, writer)| writer.games().count() as u64).sum();
        let label = match own {
            [(shard, _)] => runner::label("measurement games", *shard, shards),
            _ => "measurement games".to_owned(),
        };
        Progress::new(&label, planned, done)
    }

    fn play_blocks(
        &self,
        own: &mut [(u32, ShardWriter)],
        looks: &mut Looks,
        stop: &Stop,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        let Run { shards, games, .. } = self.run;
        let block = self.settings().block().max(1);
        let is_own = |shard: &u32| own.iter().any(|(number, _)| number == shard);
        let others = (0..shards).filter(|shard| !is_own(shard));
        let mut others: Vec<Other> = others.map(Other::new).collect();
        for number in 0..games.div_ceil(block) {
            for other in &mut others {
                other.read_new::<G>(&self.run, looks.tally())?;
            }
            if looks.decided().is_some() {
                break;
            }
            for (shard, writer) in own.iter_mut() {
                let part = games_of_block(*shard, shards, games, block, number);
                self.play_missing(writer, part, looks.tally(), stop, progress)?;
            }
        }
        Ok(())
    }
}

/// A shard that another process plays or has played.
struct Other {
    shard: u32,
    /// Its unfinished file, while it is read.
    part: Option<FollowedPart>,
    is_read: bool,
}

impl Other {
    fn new(shard: u32) -> Self {
        Self { shard, part: None, is_read: false }
    }

    /// Counts the games that were saved since the last call. A damaged file is left to the process that
    /// needs it: without its games no look decides.
    ///
    /// # Errors
    /// Fails if the shard is of another run (exit code 64), has a game that is not understood (65), or
    /// cannot be read.
    fn read_new<G: CompleteGame>(
        &mut self,
        run: &Run<Settings>,
        tally: &Tally,
    ) -> anyhow::Result<()> {
        if self.is_read {
            return Ok(());
        }
        let kind = Description::of::<G>();
        let mut games = Vec::new();
        let read = self.payloads(run, |payload| games.push(payload));
        match read.map_err(anyhow::Error::downcast::<ShardError>) {
            Ok(()) | Err(Ok(ShardError::Corrupt { .. })) => {}
            Err(Ok(error)) => return Err(error.into()),
            Err(Err(error)) => return Err(error),
        }
        Ok(games.iter().try_for_each(|payload| count(kind, payload, tally))?)
    }

    /// Passes the payloads that have come since the last call: of a shard that was finished since then,
    /// those of all games.
    fn payloads(
        &mut self,
        run: &Run<Settings>,
        mut each: impl FnMut(Vec<u8>),
    ) -> anyhow::Result<()> {
        let path = run.path(self.shard);
        if path.exists() {
            let reader = ShardReader::open(&path)?;
            cluster::reject_other_run(&path, reader.header().clone(), &run.header(0))?;
            for frame in reader {
                each(frame?.1);
            }
            self.is_read = true;
            return Ok(());
        }
        if self.part.is_none() {
            self.part = FollowedPart::open(&part_path(&path))?;
            if let Some(part) = &self.part {
                cluster::reject_other_run(part.path(), part.header().clone(), &run.header(0))?;
            }
        }
        if let Some(part) = &mut self.part
            && !part.read_new(|_, payload| each(payload))?
        {
            self.part = None;
        }
        Ok(())
    }
}
