//! The engine binary.

#![forbid(unsafe_code)]

fn main() {
    println!("Megatherium {}", env!("CARGO_PKG_VERSION"));
}
