//! What can go wrong in the lab.

use std::fmt;

use megatherium_search::EngineError;

/// Why something could not be measured.
#[derive(Debug)]
pub enum LabError {
    /// The engine could not be set up.
    Engine(EngineError),
    /// Another process of the engine did not do its part.
    Process(String),
    /// What was asked for makes no sense.
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
