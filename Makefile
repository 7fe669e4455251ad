# For test frameworks and people who expect `make`: everything else is cargo.
#
#   make                 builds ./megatherium for this machine
#   make EXE=some/name   leaves it there instead (OpenBench does this)
#   make EVALFILE=net    embeds another net: it replaces crates/nnue/net/megatherium.nnue
#   make TUNE=1          lists the search parameters as UCI options, for tuning servers
#   make bench           builds it and runs the bench

EXE ?= megatherium

ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
FEATURES := $(if $(TUNE),--features tune)
BUILT := $(or $(CARGO_TARGET_DIR),target)/release/megatherium$(SUFFIX)
PLACE := $(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX)

.PHONY: all bench test clean

# Always asks cargo: it knows best whether there is anything to do.
all:
ifneq ($(EVALFILE),)
	cp $(EVALFILE) crates/nnue/net/megatherium.nnue
endif
	cargo build --release --locked --package megatherium $(FEATURES)
	cp $(BUILT) $(PLACE)

bench: all
	$(abspath $(PLACE)) bench

test:
	cargo test --workspace --locked

clean:
	cargo clean
	rm -f $(PLACE)
