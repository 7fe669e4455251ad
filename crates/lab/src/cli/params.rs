//! `megatherium params`: every search parameter.

use megatherium_cli::stdio::line;
use megatherium_search::Params;

/// Prints name, default, range and meaning of each parameter.
pub(super) fn run() {
    line(format_args!("{:<28} {:>7} {:>15}  meaning", "name", "default", "range"));
    for spec in Params::SPECS {
        let (name, range) = (spec.name.replace('_', "-"), format!("{}..{}", spec.min, spec.max));
        let meaning = hyphens(spec.meaning.trim());
        line(format_args!("{name:<28} {:>7} {range:>15}  {meaning}", spec.default));
    }
}

/// The text with parameters in backticks spelt as `--set` takes them.
fn hyphens(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let spelt = parts.map(|(index, part)| match index % 2 {
        1 => part.replace('_', "-"),
        _ => part.to_owned(),
    });
    spelt.collect::<Vec<_>>().join("`")
}
