//! `megatherium spsa`: the search parameters as the tuning page of OpenBench takes them.

use clap::Args;
use megatherium_cli::JobResult;
use megatherium_cli::params::with_suggestion;
use megatherium_cli::stdio::line;
use megatherium_search::Params;
use megatherium_search::params::Spec;

/// The learning rate that OpenBench suggests.
const R_END: f64 = 0.002;

#[derive(Args, Debug)]
pub struct SpsaArgs {
    /// Parameters to tune (`megatherium params` lists them); all by default
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Prints `name, int, value, min, max, c_end, r_end` for each.
pub(super) fn run(args: &SpsaArgs) -> JobResult {
    let all = || Params::SPECS.iter().collect();
    let named = |name: &String| Params::spec(name).map_err(|error| with_suggestion(&error));
    let specs: Vec<&Spec> = if args.names.is_empty() {
        all()
    } else {
        args.names.iter().map(named).collect::<Result<_, _>>()?
    };
    for spec in specs {
        line(row(spec));
    }
    Ok(())
}

fn row(spec: &Spec) -> String {
    // The step of the last round is that of `tune`: an eighth of the value, but never less than
    // half a step, which would round to none.
    let c_end = (f64::from(spec.default.abs()) / 8.0).max(0.5);
    let name = spec.name.replace('_', "-");
    format!("{name}, int, {}, {}, {}, {c_end}, {R_END}", spec.default, spec.min, spec.max)
}
