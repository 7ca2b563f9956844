//! Evaluators by name, with the exit codes of the programs.

use fusion_game::{CompleteGame, OpenError, OpenErrorKind};
use fusion_jobs::exit::{CORRUPT, Failure, NO_INPUT, USAGE};
use fusion_network::model::{Model, MoveModel};

/// Converts an error about a file that a game or an evaluator needs: exit code 66 if it is missing,
/// 65 if it is rejected, 64 if the request makes no sense.
#[must_use]
pub fn failure(error: OpenError) -> Failure {
    let code = match error.kind() {
        OpenErrorKind::Missing => NO_INPUT,
        OpenErrorKind::Rejected => CORRUPT,
        OpenErrorKind::Unsupported => USAGE,
        OpenErrorKind::Io => 1,
    };
    Failure::new(code, error)
}

/// Opens an evaluator by name, as [`Model::open`] does.
///
/// # Errors
/// Fails as [`Model::open`] does, with the exit codes of [`failure`].
pub fn open_model<G: CompleteGame>(name: &str) -> Result<Model, Failure> {
    Model::open::<G>(name).map_err(failure)
}

/// Opens an evaluator of the alpha-beta search by name, as [`MoveModel::open`] does.
///
/// # Errors
/// Fails as [`MoveModel::open`] does, with the exit codes of [`failure`].
pub fn open_move_model<G: CompleteGame>(name: &str) -> Result<MoveModel, Failure> {
    MoveModel::open::<G>(name).map_err(failure)
}
