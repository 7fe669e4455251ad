#!/bin/sh
# Two ranks on this machine as one engine, for tests that start an engine by its path.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=tcp,self
target=${CARGO_TARGET_DIR:-$(dirname "$0")/../../../target}
exec mpirun -n 2 "$target/debug/megatherium-cluster"
