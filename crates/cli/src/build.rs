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
/// The level of x86-64 the program needs, or the architecture elsewhere.
pub const LEVEL: &str = if !cfg!(target_arch = "x86_64") {
    std::env::consts::ARCH
} else if cfg!(all(target_feature = "avx512bw", target_feature = "avx512vl")) {
    "x86-64-v4"
} else if cfg!(all(target_feature = "avx2", target_feature = "bmi2")) {
    "x86-64-v3"
} else if cfg!(all(target_feature = "popcnt", target_feature = "sse4.2")) {
    "x86-64-v2"
} else {
    "x86-64"
};
/// Whether debug assertions are compiled in.
pub const PROFILE: &str =
    if cfg!(debug_assertions) { "with debug assertions" } else { "optimised" };
