//! Evaluators by name: a built-in evaluator or a network file.

use crate::evaluator::{Evaluator, Material, Rollout, Uniform};
use crate::game::Game;
use crate::network::{Network, NetworkError, NetworkEvaluator};
use fusion_jobs::exit::{self, Failure};
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
#[derive(Clone, Debug)]
pub struct Model {
    kind: Kind,
    name: String,
}

impl Model {
    /// Names of the built-in evaluators, which need no network file.
    pub const BUILT_IN: [&'static str; 3] = ["uniform", "material", "rollout"];

    /// Opens a model by name. The name is `uniform` (level values, equal moves), `material` (values
    /// by material), `rollout` (random games), or the path of a network file for the game `G`.
    ///
    /// # Errors
    /// Returns an error if the file is missing (exit code 66) or rejected (65). Returns an error if
    /// the name is not a file and is close to a built-in name (64).
    pub fn open<G: Game>(name: &str) -> Result<Self, Failure> {
        let kind = match name {
            "uniform" => Kind::Uniform,
            "material" => Kind::Material,
            "rollout" => Kind::Rollout,
            path => {
                refuse_slip(path)?;
                let network = Network::load::<G>(Path::new(path)).map_err(|error| {
                    let code = match &error {
                        NetworkError::Io { source, .. }
                            if source.kind() == std::io::ErrorKind::NotFound =>
                        {
                            exit::NO_INPUT
                        }
                        NetworkError::Io { .. } => 1,
                        NetworkError::Bad { .. } => exit::CORRUPT,
                    };
                    let hint = Self::BUILT_IN.join(", ");
                    Failure::new(code, format!("{error} (built-in evaluators: {hint})"))
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

    /// Returns an evaluator for one game. `seed` determines rollouts and the order of equal moves.
    #[must_use]
    pub fn evaluator<G: Game>(&self, seed: u64) -> Box<dyn Evaluator<G>> {
        match &self.kind {
            Kind::Uniform => Box::new(Uniform { seed }),
            Kind::Material => Box::new(Material { seed }),
            Kind::Rollout => Box::new(Rollout::<G>::new(seed)),
            Kind::Network(network) => Box::new(NetworkEvaluator::new::<G>(network.clone())),
        }
    }
}

/// Rejects a name that is not a file and is close to a built-in name.
fn refuse_slip(name: &str) -> Result<(), Failure> {
    match exit::nearest(name, Model::BUILT_IN) {
        Some(nearest) if !Path::new(name).exists() => Err(Failure::usage(format!(
            "'{name}' is neither an evaluator ({}) nor a file: did you mean {nearest}?",
            Model::BUILT_IN.join(", ")
        ))),
        _ => Ok(()),
    }
}
