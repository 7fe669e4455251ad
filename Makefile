# For test frameworks and people who expect `make`: everything else is cargo.
#
#   make                 builds ./megatherium for this machine
#   make EXE=some/name   leaves it there instead (OpenBench does this)
#   make EVALFILE=net    embeds another net: it replaces crates/nnue/net/megatherium.nnue
#   make TUNE=1          lists the search parameters as UCI options, for tuning servers
#   make bench           builds it and runs the bench
#   make deny            checks licences and advisories with cargo-deny
#   make package         packs every crate as a registry takes it, and builds it from the package
#   make table-check     checks what crates/tt claims, on its package unpacked elsewhere
#   make mutants         changes table, search, board, shell and sees whether tests notice
#   make site            writes the book and the API documentation to target/site
#   make portable        builds ./megatherium-portable for every x86-64 Linux machine
#   make portable-check  builds it and compares the bench of its levels with each other
#   make pgo             builds ./megatherium-pgo for this machine, by a profile of its own bench
#   make aarch64-check   builds for AArch64 and runs tests and bench under qemu-user
#   make windows-check   lints everything for Windows
#   make pictures        draws the pictures of the book and of the README again
#   make smoke           lets a built program search (PROGRAM=path)
#   make dist            leaves a program that searches in dist (PROGRAM=path NAME=name)
#   make checksums       writes and checks dist/SHA256SUMS
#   make notes           prints what CHANGELOG.md says about a version (TAG=v0.2.0)
#   make lint-workflows  checks the workflows of CI with actionlint

EXE ?= megatherium

ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
FEATURES := $(if $(TUNE),--features tune)
TARGET := $(or $(CARGO_TARGET_DIR),target)
BUILT := $(TARGET)/release/megatherium$(SUFFIX)
PLACE := $(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX)

.PHONY: all bench test deny package table-check mutants site profile portable portable-check \
  pgo aarch64-check windows-check pictures smoke dist checksums notes lint-workflows clean

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

# Only what is committed is packed.
package:
	cargo package --workspace --locked

# The tests of the package alone, no_std, other widths and byte orders, the minimum Rust version,
# semantic versioning. What this machine cannot check is printed as "skipped".
table-check:
	bash .ci/table

# Needs cargo-mutants. Survivors are listed at the end of each part.
mutants:
	bash .ci/mutants tt
	bash .ci/mutants stop
	bash .ci/mutants team
	SAMPLE=5/14 bash .ci/mutants board
	SAMPLE=2/4 bash .ci/mutants uci
	SAMPLE=5/16 bash .ci/mutants search

# The book with the API documentation inside (needs mdbook).
SITE := $(TARGET)/site
site:
	mdbook build docs --dest-dir $(abspath $(SITE))
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
	rm -rf $(SITE)/api
	cp -r $(TARGET)/doc $(SITE)/api

# Which way every branch of the bench goes, counted by a build of its own: with one thread and with
# two, so that the code of the helpers is counted too. Needs `rustup component add llvm-tools`.
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
PROFDATA ?= $(shell rustc --print sysroot)/lib/rustlib/$(HOST)/bin/llvm-profdata$(SUFFIX)
PGO := $(abspath $(TARGET)/pgo)
PROFILE := $(PGO)/megatherium.profdata
PGO_BUILD := cargo build --release --locked --package megatherium --target $(HOST) --target-dir $(PGO)
profile:
	$(PROFDATA) merge --help > $(if $(SUFFIX),NUL,/dev/null)
	rm -rf $(PGO)/counts
	RUSTFLAGS="-C target-cpu=native -C profile-generate=$(PGO)/counts" $(PGO_BUILD)
	$(PGO)/$(HOST)/release/megatherium$(SUFFIX) bench
	$(PGO)/$(HOST)/release/megatherium$(SUFFIX) bench 16 2 9
	$(PROFDATA) merge -o $(PROFILE) $(PGO)/counts

# Built for this machine, with the profile.
pgo: profile
	RUSTFLAGS="-C target-cpu=native -C profile-use=$(PROFILE)" $(PGO_BUILD)
	cp $(PGO)/$(HOST)/release/megatherium$(SUFFIX) megatherium-pgo$(SUFFIX)

# The whole engine once per level of x86-64, with the profile where it can be made, and a launcher
# that starts the best one.
PORTABLE := $(TARGET)/portable
PORTABLE_FLAGS := -C strip=symbols $(if $(wildcard $(PROFDATA)),-C profile-use=$(PROFILE))
# With --target the flags do not apply to what the build itself runs, such as procedural macros: this
# machine may be of a lower level.
portable: $(if $(wildcard $(PROFDATA)),profile)
	mkdir -p $(PORTABLE)/engines
	n=1; for level in x86-64 x86-64-v2 x86-64-v3 x86-64-v4; do \
	  RUSTFLAGS="-C target-cpu=$$level $(PORTABLE_FLAGS)" cargo build --release --locked \
	    --package megatherium --target $(HOST) --target-dir $(PORTABLE)/$$level && \
	  cp $(PORTABLE)/$$level/$(HOST)/release/megatherium $(PORTABLE)/engines/v$$n || exit 1; \
	  n=$$((n + 1)); \
	done
	ENGINES=$(abspath $(PORTABLE))/engines RUSTFLAGS="-C target-cpu=x86-64" cargo build --release \
	  --locked --manifest-path crates/portable/Cargo.toml --target-dir $(PORTABLE)/launcher
	cp $(PORTABLE)/launcher/release/megatherium-portable .

# Every level this machine has must search the same tree. The launcher refuses the others.
LAUNCHER ?= ./megatherium-portable
portable-check: portable
	@first=; for level in 1 2 3 4; do \
	  if output=$$(MEGATHERIUM_LEVEL=$$level $(LAUNCHER) bench 2>&1); then \
	    nodes=$$(printf '%s\n' "$$output" | sed -n '$$s/^\([0-9]*\) nodes [0-9]* nps$$/\1/p'); \
	    echo "level $$level: $$nodes nodes"; \
	    test -n "$$nodes" && test "$${first:=$$nodes}" = "$$nodes" || exit 1; \
	  else \
	    echo "level $$level: $$output"; \
	    case "$$level $$output" in [234]*"must be between"*) ;; *) exit 1 ;; esac; \
	  fi; \
	done

# Another architecture must search the same tree. Needs `rustup target add aarch64-unknown-linux-gnu`,
# a cross linker and qemu-user (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, qemu-user). The
# emulation knows neither huge pages nor memory nodes, so the tests of those are left out.
ARM := aarch64-unknown-linux-gnu
QEMU ?= qemu-aarch64 -L /usr/aarch64-linux-gnu
aarch64-check: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER ?= aarch64-linux-gnu-gcc
aarch64-check: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER = $(QEMU)
aarch64-check:
	RUSTFLAGS="-C target-cpu=generic" cargo test --locked --target $(ARM) --lib \
	  -p megatherium-tt -p megatherium-board -p megatherium-nnue \
	  -- --skip huge_pages::tests --skip the_system_is_asked_about_the_whole_table
	RUSTFLAGS="-C target-cpu=generic" cargo clippy --locked --target $(ARM) --package megatherium \
	  --package megatherium-tt --package megatherium-nnue --all-targets -- -D warnings
	RUSTFLAGS="-C target-cpu=generic" cargo build --locked --target $(ARM) --package megatherium
	cargo build --locked --package megatherium
	test "$$($(QEMU) $(TARGET)/$(ARM)/debug/megatherium bench 16 1 8 | tail -n 1 | cut -d' ' -f1)" \
	  = "$$($(TARGET)/debug/megatherium bench 16 1 8 | tail -n 1 | cut -d' ' -f1)"

# Needs `rustup target add x86_64-pc-windows-gnu` and its C compiler (Debian: gcc-mingw-w64-x86-64).
windows-check:
	RUSTFLAGS="-C target-cpu=x86-64" cargo clippy --locked --target x86_64-pc-windows-gnu \
	  --workspace --all-targets -- -D warnings

# Every picture but the terminal is drawn from a table of the book or a file beside it.
pictures:
	MEGATHERIUM_DRAW=1 cargo test --release --locked --package megatherium --test pictures

# A program that was built for another place must at least search. Its last line is what test
# frameworks read.
PROGRAM ?= ./$(PLACE)
smoke:
	$(PROGRAM) bench 16 1 8 | tail -n 1 | grep -E '^[0-9]+ nodes [0-9]+ nps'

DIST ?= dist
dist: smoke
	mkdir -p $(DIST)
	cp $(PROGRAM) $(DIST)/$(or $(NAME),$(error NAME is the name of the program in a release))

checksums:
	cd $(DIST) && sha256sum megatherium-* > SHA256SUMS && sha256sum --check SHA256SUMS

# The part of CHANGELOG.md under the heading of a version; fails if there is none.
notes:
	@awk -v version='$(TAG:v%=%)' '/^## /{on = $$2 == version; found += on; next} on; END{exit !found}' \
	  CHANGELOG.md

# Needs actionlint.
lint-workflows:
	actionlint .github/workflows/*.yml

clean:
	cargo clean
	rm -f $(PLACE) megatherium-portable megatherium-pgo$(SUFFIX)
