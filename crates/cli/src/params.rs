//! Search parameters on the command line.

use clap::Args;
use megatherium_search::Params;
use megatherium_search::params::ParamError;

/// Changes to the search parameters.
#[derive(Args, Clone, Debug, Default)]
pub struct ParamArgs {
    /// Change search parameters (`megatherium params` lists them)
    #[arg(
        long = "set",
        value_name = "NAME=VALUE",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    changes: Vec<String>,
}

impl ParamArgs {
    /// The engine's parameters with the changes applied.
    pub fn params(&self) -> Result<Params, String> {
        let mut params = Params::default();
        for change in &self.changes {
            params.apply(change).map_err(|error| with_suggestion(&error))?;
        }
        Ok(params)
    }
}

/// The error with hyphens in the parameter's name; for an unknown name, the nearest ones.
pub fn with_suggestion(error: &ParamError) -> String {
    let name = match error {
        ParamError::Unknown(name) => name,
        ParamError::Range(name, ..) => {
            return error.to_string().replace(name, &name.replace('_', "-"));
        }
        ParamError::Form(_) => return error.to_string(),
    };
    let name = name.trim().replace('_', "-");
    let mut known: Vec<(String, f64)> = Params::SPECS
        .iter()
        .map(|spec| spec.name.replace('_', "-"))
        .map(|spec| (spec.clone(), strsim::jaro_winkler(&spec, &name)))
        .collect();
    known.sort_by(|one, other| other.1.total_cmp(&one.1));
    let nearest: Vec<&str> = known.iter().take(3).map(|(name, _)| name.as_str()).collect();
    format!("{error}; the nearest are {} (`megatherium params` lists all)", nearest.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_gets_a_suggestion() {
        let refused =
            |change: &str| ParamArgs { changes: vec![change.to_owned()] }.params().unwrap_err();
        assert!(refused("razor-dept=2").contains("razor-depth"), "{}", refused("razor-dept=2"));
        assert!(refused("lmr_chek=2").contains("lmr-check"));
        assert_eq!(refused("razor_depth=99"), "razor-depth must be between 0 and 12");
        assert!(ParamArgs::default().params().is_ok());
    }
}
