//! Evaluators by name: a built-in evaluator or a network file.

use crate::views::{ViewEvaluator, ViewNetwork, ViewSizes};
use crate::{Network, NetworkEvaluator, SizesFor, TreeSizes};
use fusion_game::evaluator::{Evaluator, Material, MoveEvaluator, Rollout, Uniform};
use fusion_game::{Encoding, Game, OpenError, OpenErrorKind, Views, nearest};
use std::path::Path;
use std::sync::Arc;

#[derive(Clone, Debug)]
enum Kind {
    Uniform,
    Material,
    Rollout,
    Network(Arc<Network>),
}

/// A source of evaluators, cheap to clone and shared by all threads.
///
/// ```
/// use fusion_game::prelude::*;
/// use fusion_game::toy::{TicTacToe, Variant};
/// use fusion_network::model::Model;
///
/// let rules = Variant::parse("normal").unwrap();
/// let model = Model::open::<TicTacToe>("uniform", [&rules])?;
/// let mut evaluator = model.evaluator::<TicTacToe>(1);
/// assert_eq!(evaluator.value(&TicTacToe::new(&rules)).wdl.score(), 0.5);
/// let misspelt = Model::open::<TicTacToe>("unifrom", [&rules]).unwrap_err();
/// assert!(misspelt.to_string().contains("did you mean"));
/// # Ok::<(), fusion_game::OpenError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    kind: Kind,
    name: String,
}

impl Model {
    /// Names of the built-in evaluators, which need no network file.
    pub const BUILT_IN: [&'static str; 3] = ["uniform", "material", "rollout"];

    /// Opens a model by name. The name is `uniform` (level values, equal moves), `material` (values
    /// by material), `rollout` (random games), or the path of a network file for the game `G`. The
    /// model is for games under these rule sets.
    ///
    /// # Errors
    /// Returns an error if the file is missing or rejected. Returns [`OpenErrorKind::Unsupported`]
    /// if the name is not a file and is close to a built-in name, or if one network cannot play all
    /// the rule sets ([`SizesFor::common`]).
    pub fn open<'a, G: Encoding>(
        name: &str,
        rules: impl IntoIterator<Item = &'a G::Rules>,
    ) -> Result<Self, OpenError> {
        let kind = match name {
            "uniform" => Kind::Uniform,
            "material" => Kind::Material,
            "rollout" => Kind::Rollout,
            path => {
                reject_misspelt(path)?;
                if ViewNetwork::is_at(Path::new(path)) {
                    return Err(OpenError::new(
                        OpenErrorKind::Unsupported,
                        format!("{path} is a network of the alpha-beta search: write pvs:{path}"),
                    ));
                }
                let rules = common::<G, TreeSizes>(path, rules)?;
                let network = Network::load::<G>(rules, Path::new(path)).map_err(|error| {
                    let hint = Self::BUILT_IN.join(", ");
                    OpenError::new(error.kind(), format!("{error} (built-in evaluators: {hint})"))
                })?;
                Kind::Network(Arc::new(network))
            }
        };
        Ok(Self { kind, name: name.into() })
    }

    /// Creates a model of a network in memory.
    #[must_use]
    pub fn of(network: Network) -> Self {
        Self { name: network.hash().into(), kind: Kind::Network(Arc::new(network)) }
    }

    /// Returns the name or path that the model was opened by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the identity in results: a network file's SHA-256, or the built-in evaluator's name.
    #[must_use]
    pub fn hash(&self) -> &str {
        match &self.kind {
            Kind::Network(network) => network.hash(),
            _ => &self.name,
        }
    }

    /// Returns whether it can evaluate positions under a rule set: it is built in, or its network has
    /// the inputs and outputs of the rule set.
    #[must_use]
    pub fn plays<G: Encoding>(&self, rules: &G::Rules) -> bool {
        match &self.kind {
            Kind::Network(network) => network.plays::<G>(rules),
            Kind::Uniform | Kind::Material | Kind::Rollout => true,
        }
    }

    /// Returns an evaluator for one game, under a rule set of those that the model was opened for.
    /// `seed` determines rollouts and the order of equal moves.
    #[must_use]
    pub fn evaluator<G: Encoding>(&self, seed: u64) -> Box<dyn Evaluator<G>> {
        match &self.kind {
            Kind::Uniform => Box::new(Uniform { seed }),
            Kind::Material => Box::new(Material { seed }),
            Kind::Rollout => Box::new(Rollout::<G>::new(seed)),
            Kind::Network(network) => Box::new(NetworkEvaluator::new(network.clone())),
        }
    }
}

/// A source of evaluators for the alpha-beta search: any [`Model`], or a network that follows the
/// moves of the search.
///
/// ```
/// use fusion_game::RuleSet;
/// use fusion_game::toy::{TicTacToe, Variant};
/// use fusion_network::model::MoveModel;
///
/// let rules = Variant::parse("normal").unwrap();
/// assert_eq!(MoveModel::open::<TicTacToe>("material", [&rules])?.hash(), "material");
/// # Ok::<(), fusion_game::OpenError>(())
/// ```
#[derive(Clone, Debug)]
pub enum MoveModel {
    /// Evaluates every position by itself.
    Model(Model),
    /// Updates what it computed when a move is made.
    Views(Arc<ViewNetwork>),
}

impl MoveModel {
    /// Opens a model by name: the file of an efficiently updatable network, or a name of
    /// [`Model::open`].
    ///
    /// # Errors
    /// Returns an error if the file is missing or rejected, as [`Model::open`] does.
    pub fn open<'a, G: Encoding + Views>(
        name: &str,
        rules: impl IntoIterator<Item = &'a G::Rules>,
    ) -> Result<Self, OpenError> {
        let path = Path::new(name);
        if !ViewNetwork::is_at(path) {
            return Model::open::<G>(name, rules).map(Self::Model);
        }
        let network = ViewNetwork::load::<G>(common::<G, ViewSizes>(name, rules)?, path);
        let network = network.map_err(|error| OpenError::new(error.kind(), error.to_string()))?;
        Ok(Self::Views(Arc::new(network)))
    }

    /// Returns the identity in results, as [`Model::hash`] does.
    #[must_use]
    pub fn hash(&self) -> &str {
        match self {
            Self::Model(model) => model.hash(),
            Self::Views(network) => network.hash(),
        }
    }

    /// Returns whether it can evaluate positions under a rule set, as [`Model::plays`] does.
    #[must_use]
    pub fn plays<G: Encoding + Views>(&self, rules: &G::Rules) -> bool {
        match self {
            Self::Model(model) => model.plays::<G>(rules),
            Self::Views(network) => network.plays::<G>(rules),
        }
    }

    /// Returns an evaluator for one game, under a rule set of those that the model was opened for.
    /// `seed` determines rollouts.
    #[must_use]
    pub fn evaluator<G: Encoding + Views>(&self, seed: u64) -> Box<dyn MoveEvaluator<G>> {
        match self {
            Self::Model(model) => Box::new(model.evaluator::<G>(seed)),
            Self::Views(network) => Box::new(ViewEvaluator::new(network.clone())),
        }
    }
}

/// Returns the first rule set, if a network of this kind can play all of them.
fn common<'a, G: Game, S: SizesFor<G>>(
    name: &str,
    rules: impl IntoIterator<Item = &'a G::Rules>,
) -> Result<&'a G::Rules, OpenError> {
    S::common(rules)
        .map_err(|error| OpenError::new(OpenErrorKind::Unsupported, format!("{name}: {error}")))
}

/// Rejects a name that is not a file and is close to a built-in name.
fn reject_misspelt(name: &str) -> Result<(), OpenError> {
    match nearest(name, Model::BUILT_IN) {
        Some(nearest) if !Path::new(name).exists() => Err(OpenError::new(
            OpenErrorKind::Unsupported,
            format!(
                "'{name}' is neither an evaluator ({}) nor a file: did you mean {nearest}?",
                Model::BUILT_IN.join(", ")
            ),
        )),
        _ => Ok(()),
    }
}
