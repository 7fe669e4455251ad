//! `megatherium params`: every search parameter.

use megatherium_cli::stdio::line;
use megatherium_search::Params;

/// Prints name, default, range and meaning of each parameter.
pub(super) fn run() {
    line(format_args!("{:<28} {:>7} {:>15}  meaning", "name", "default", "range"));
    for spec in Params::SPECS {
        let (name, range) = (spec.name.replace('_', "-"), format!("{}..{}", spec.min, spec.max));
        line(format_args!("{name:<28} {:>7} {range:>15}  {}", spec.default, spec.meaning.trim()));
    }
}
