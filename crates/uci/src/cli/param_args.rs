//! Search parameters on the command line, for experiments.

use clap::Args;
use megatherium_search::Params;
use megatherium_search::params::ParamError;

/// Changes to the parameters of the search.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ParamArgs {
    /// Search with other parameters than the engine plays with (`crates/search/src/params.rs` has their names)
    #[arg(long = "set", value_name = "NAME=VALUE", value_delimiter = ',', allow_hyphen_values = true)]
    changes: Vec<String>,
}

impl ParamArgs {
    /// The parameters of the engine with the changes applied.
    pub(super) fn params(&self) -> Result<Params, ParamError> {
        let mut params = Params::default();
        for change in &self.changes {
            params.apply(change)?;
        }
        Ok(params)
    }
}
