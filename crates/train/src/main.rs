//! The trainer binary.

#![forbid(unsafe_code)]

fn main() {
    println!("megatherium-train {}", env!("CARGO_PKG_VERSION"));
}
