# `make demo` and `make test` do all the set-up on a fresh Debian machine.
#
# What is used is built by the profile release, what is tested by the profile checked, which has overflow checks and
# debug assertions. RocksDB's C++ is compiled once for both, by .ci/rocksdb. For cargo by hand: eval $(make -s env)
# PROFILE=checked makes the demo and the Python package of what the tests have compiled, as .ci/run does.

export ROCKSDB_LIB_DIR := $(CURDIR)/target/rocksdb
export ROCKSDB_STATIC := 1
export PROFILE ?= release
NDDB := target/$(PROFILE)/nddb

.PHONY: help setup build demo test crash python test-python test-spark test-engines wheels dist test-aarch64 lint doc reference deps workflows public-api package sizes house bench fuzz env clean

help:
	@echo 'make demo           build, load a crawl archive, query and check it (WARC=file takes yours)'
	@echo 'make test           build and run all tests'
	@echo 'make crash          crashes, power cuts and failing calls: KILLS=300 CUTS=1000 POWER=75 ERRORS=300 SEED=1'
	@echo 'make python         build the Python package, target/wheels (PYTHON=python3.10 or newer)'
	@echo 'make test-python    install it into environments of its own and test it'
	@echo 'make test-spark     test its jobs on Spark, with a crawl and killed executors (needs Java)'
	@echo 'make test-engines   test its jobs on Ray Data, Daft and DuckDB'
	@echo 'make wheels         the wheels that are released, for older Linux systems (ARCHS="x86_64 aarch64")'
	@echo 'make dist           the command as it is released: .tar.gz, Debian packages and checksums, target/dist'
	@echo 'make test-aarch64   the tests of the library'"'"'s lower crates for aarch64, under qemu'
	@echo 'make build          build target/release/nddb (PROFILE=checked: with assertions)'
	@echo 'make lint           formatting, clippy (the static index also for macOS and Windows), no circles of modules'
	@echo 'make doc            documentation, target/doc'
	@echo 'make reference      write tools/REFERENCE.md again, from the help and the sources of the command'
	@echo 'make deps           licences, sources and Rust versions of the dependencies'
	@echo 'make workflows      .github/workflows has the form that GitHub asks for'
	@echo 'make public-api     the public interface is the one that public-api.txt lists'
	@echo 'make package        each crate as it would be published, target/package'
	@echo 'make sizes          no file is too large, and packages carry sources alone'
	@echo 'make house          lines of each room of the code beside what it is to keep'
	@echo 'make bench          all benchmarks, short; see benches/README.md for the full ones'
	@echo 'make fuzz           each fuzz target for 15 seconds'
	@echo 'eval $$(make -s env) for cargo by hand'

setup:
	@.ci/setup
	@.ci/rocksdb

# Further packages, to compile once what they share (the Python package): MORE='-p nddb-python'
build: setup
	cargo build --profile $(PROFILE) --locked -p nddb-cli $(MORE)

demo: build
	@tools/demo $(NDDB) $(WARC)

test: setup
	cargo test --profile checked --locked --workspace
	@set -e; for example in src/nddb/examples/*.rs; do name=$$(basename $$example .rs); echo "example $$name"; \
	    target/checked/examples/$$name; done

KILLS ?= 300
CUTS ?= 1000
POWER ?= 75
ERRORS ?= 300
SEED ?= 1

crash: setup
	cargo run --profile checked --locked -p nddb-crash -- kills=$(KILLS) cuts=$(CUTS) power=$(POWER) errors=$(ERRORS) \
	    seed=$(SEED)

python: setup
	@.ci/python wheel

test-python: python
	@.ci/python test

test-spark: python
	@.ci/python spark

ARCHS ?= x86_64 aarch64

test-engines: python
	@.ci/python engines

wheels: setup
	@.ci/wheels $(ARCHS)

dist: setup
	@.ci/dist $(ARCHS)

test-aarch64: setup
	@.ci/aarch64

lint: setup
	cargo fmt --all --check
	cargo clippy --profile checked --locked --workspace --all-targets -- -D warnings
	cargo clippy --profile checked --locked -p nddb --no-default-features -- -D warnings
	@.ci/platforms
	cargo clippy --locked --manifest-path benches/compare/extractors/Cargo.toml -- -D warnings
	@if command -v python3 >/dev/null; then .ci/circles; else echo 'no python3: circles of modules are not looked for'; test -z "$$CI"; fi

doc: setup
	RUSTDOCFLAGS='-D warnings' cargo doc --profile checked --locked --workspace --no-deps

reference: setup
	NDDB_WRITE_REFERENCE=1 cargo test --profile checked --locked --workspace --test cli the_reference

deps:
	@.ci/deps

workflows:
	@.ci/workflows

public-api: setup
	@.ci/public-api

package:
	cargo package --workspace --locked --no-verify --allow-dirty --exclude nddb-tests --exclude nddb-crash --exclude nddb-benches --exclude nddb-python

sizes:
	@.ci/sizes

house:
	@if command -v python3 >/dev/null; then .ci/house; else echo 'no python3: lines are not counted'; fi

bench: setup
	cargo bench --profile checked --locked --workspace --bench '*' -- --test
	@if command -v python3 >/dev/null; then python3 -m unittest discover -s benches/compare; \
	else echo 'no python3: the scripts of benches/ are left out'; test -z "$$CI"; fi

fuzz: setup
	@.ci/fuzz

env:
	@echo export ROCKSDB_LIB_DIR=$(ROCKSDB_LIB_DIR) ROCKSDB_STATIC=1

clean:
	cargo clean
