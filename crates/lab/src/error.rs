//! Errors of the lab.

use std::fmt;

use megatherium_search::EngineError;

/// Why a measurement failed.
#[derive(Debug)]
pub enum LabError {
    /// The engine could not be set up.
    Engine(EngineError),
    /// An engine in another process failed or broke the protocol.
    Process(String),
    /// The settings are invalid.
    Settings(String),
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabError::Engine(error) => write!(f, "{error}"),
            LabError::Process(what) => write!(f, "engine process: {what}"),
            LabError::Settings(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for LabError {}

impl From<EngineError> for LabError {
    fn from(error: EngineError) -> Self {
        LabError::Engine(error)
    }
}
