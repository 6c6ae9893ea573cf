# `make demo` and `make test` do all the set-up on a fresh Debian machine.
#
# Everything is built with one profile into one target folder, so that RocksDB's C++ is compiled once,
# by .ci/rocksdb. For cargo by hand: eval $(make -s env)

export ROCKSDB_LIB_DIR := $(CURDIR)/target/rocksdb
export ROCKSDB_STATIC := 1
NDDB := target/release/nddb

.PHONY: help setup build demo test lint bench env clean

help:
	@echo 'make demo           build, load a crawl archive, query and check it (WARC=file takes yours)'
	@echo 'make test           build and run all tests'
	@echo 'make build          build target/release/nddb'
	@echo 'make lint           formatting and clippy'
	@echo 'make bench          all benchmarks, short; see benches/README.md for the full ones'
	@echo 'eval $$(make -s env) for cargo by hand'

setup:
	@.ci/setup
	@.ci/rocksdb

build: setup
	cargo build --release --locked -p nddb-cli

demo: build
	@tools/demo $(NDDB) $(WARC)

test: setup
	cargo test --release --locked --workspace

lint: setup
	cargo fmt --all --check
	cargo clippy --release --locked --workspace --all-targets -- -D warnings

bench: setup
	cargo bench --locked --workspace --benches -- --test

env:
	@echo export ROCKSDB_LIB_DIR=$(ROCKSDB_LIB_DIR) ROCKSDB_STATIC=1

clean:
	cargo clean
