#!/bin/sh
# Several ranks as one engine, for tests that start an engine by its path: RANKS of them (default
# 2), on this machine, or with APART=1 in the network namespaces that namespaces.sh has made.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=tcp,self
here=$(dirname "$(realpath "$0")")
engine=${CARGO_TARGET_DIR:-$here/../../../target}/debug/megatherium-cluster
if [ "${APART:-0}" = 1 ]; then
    exec "$here/namespaces.sh" run "${RANKS:-2}" "$engine"
fi
exec mpirun -n "${RANKS:-2}" "$engine"
