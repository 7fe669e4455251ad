//! `mpirun -n N megatherium-cluster` is one UCI engine on N machines.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: it does nothing once there is a second thread.
    megatherium_tt::give_back_large_blocks();
    megatherium_tt::share_one_heap();
    match megatherium_cluster::mpi::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("megatherium-cluster: {error}");
            ExitCode::FAILURE
        }
    }
}
