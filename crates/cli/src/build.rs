//! Build information: name, version, commit, compiler.

/// Name and version.
pub const NAME: &str = concat!("Megatherium ", env!("CARGO_PKG_VERSION"));
/// The authors, as `id author` gives them.
pub const AUTHORS: &str = env!("CARGO_PKG_AUTHORS");
/// The commit it was built from, or `unknown` outside a repository.
pub const COMMIT: &str = env!("COMMIT");
/// The compiler.
pub const COMPILER: &str = env!("RUSTC_VERSION");
/// The target triple.
pub const TARGET: &str = env!("TARGET");
/// The instruction sets the compiler was allowed to use.
pub const TARGET_FEATURES: &str = env!("TARGET_FEATURES");
/// Whether debug assertions are compiled in.
pub const PROFILE: &str =
    if cfg!(debug_assertions) { "with debug assertions" } else { "optimised" };
