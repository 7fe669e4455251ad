#!/bin/sh
# Machines on one machine: network namespaces with host names of their own, joined by a bridge.
#
#   namespaces.sh up N                     makes N of them (needs root)
#   namespaces.sh run N COMMAND [WORD…]    mpirun -n N COMMAND, one rank in each, over TCP
#   namespaces.sh down N                   takes them away
#
# MACHINES (default mgt) begins the names of namespaces and interfaces; MPIRUN_OPTIONS are added.
set -eu
name=${MACHINES:-mgt}
action=$1 count=$2
shift 2

case $action in
up)
    ip link add "$name-bridge" type bridge
    ip link set "$name-bridge" up
    for i in $(seq 1 "$count"); do
        ip netns add "$name$i"
        ip link add "$name-out$i" type veth peer name eth0 netns "$name$i"
        ip link set "$name-out$i" master "$name-bridge" up
        ip -n "$name$i" addr add "10.77.0.$i/24" dev eth0
        ip -n "$name$i" link set eth0 up
        ip -n "$name$i" link set lo up
    done
    ;;
down)
    for i in $(seq 1 "$count"); do
        ip link del "$name-out$i" || true
        ip netns del "$name$i" || true
    done
    ip link del "$name-bridge"
    ;;
agent)
    # In the place of ssh: $count is the address, the rest is what to start there.
    export HOST="$name${count##*.}"
    exec ip netns exec "$HOST" unshare --uts sh -c 'hostname "$HOST"; eval "$*"' sh "$@"
    ;;
run)
    agent=$(mktemp)
    trap 'rm -f "$agent"' EXIT
    printf '#!/bin/sh\nexec %s agent "$@"\n' "$(realpath "$0")" > "$agent"
    chmod +x "$agent"
    hosts=$(seq -s, -f "10.77.0.%g" 1 "$count")
    # shellcheck disable=SC2086 # several options
    ip netns exec "${name}1" unshare --uts sh -c 'hostname "$0"; exec "$@"' "${name}1" \
        mpirun --mca btl tcp,self --mca plm_rsh_agent "$agent" --bind-to none \
        --host "$hosts" --map-by ppr:1:node ${MPIRUN_OPTIONS:-} -n "$count" "$@"
    ;;
esac
