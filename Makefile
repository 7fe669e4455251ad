# For test frameworks and people who expect `make`: everything else is cargo.
#
#   make                 builds ./megatherium for this machine
#   make EXE=some/name   leaves it there instead (OpenBench does this)
#   make EVALFILE=net    embeds another net: it replaces crates/nnue/net/megatherium.nnue
#   make TUNE=1          lists the search parameters as UCI options, for tuning servers
#   make bench           builds it and runs the bench
#   make deny            checks licences and advisories with cargo-deny
#   make site            writes the book and the API documentation to target/site
#   make portable        builds ./megatherium-portable for every x86-64 Linux machine
#   make portable-check  builds it and compares the bench of its levels with each other

EXE ?= megatherium

ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
FEATURES := $(if $(TUNE),--features tune)
BUILT := $(or $(CARGO_TARGET_DIR),target)/release/megatherium$(SUFFIX)
PLACE := $(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX)

.PHONY: all bench test deny site portable portable-check clean

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

# Licences, advisories and sources of all dependencies (needs cargo-deny).
deny:
	cargo deny --locked check

# The book with the API documentation inside (needs mdbook).
SITE := $(or $(CARGO_TARGET_DIR),target)/site
site:
	mdbook build docs --dest-dir $(abspath $(SITE))
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
	rm -rf $(SITE)/api
	cp -r $(or $(CARGO_TARGET_DIR),target)/doc $(SITE)/api

# The whole engine once per level of x86-64, and a launcher that starts the best one.
PORTABLE := $(or $(CARGO_TARGET_DIR),target)/portable
portable:
	mkdir -p $(PORTABLE)/engines
	n=1; for level in x86-64 x86-64-v2 x86-64-v3 x86-64-v4; do \
	  RUSTFLAGS="-C target-cpu=$$level -C strip=symbols" cargo build --release --locked \
	    --package megatherium --target-dir $(PORTABLE)/$$level && \
	  cp $(PORTABLE)/$$level/release/megatherium $(PORTABLE)/engines/v$$n || exit 1; \
	  n=$$((n + 1)); \
	done
	ENGINES=$(abspath $(PORTABLE))/engines RUSTFLAGS="-C target-cpu=x86-64" cargo build --release \
	  --locked --manifest-path crates/portable/Cargo.toml --target-dir $(PORTABLE)/launcher
	cp $(PORTABLE)/launcher/release/megatherium-portable .

# Every level this machine has must search the same tree.
portable-check: portable
	for level in 1 2 3 4; do \
	  MEGATHERIUM_LEVEL=$$level ./megatherium-portable bench | tail -n 1 | cut -d' ' -f1; \
	done | sort | uniq -c

clean:
	cargo clean
	rm -f $(PLACE) megatherium-portable
