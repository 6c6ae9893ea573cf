# Two commands do everything: `make demo` and `make test`.
export ROCKSDB_LIB_DIR := $(CURDIR)/target/rocksdb
export ROCKSDB_STATIC := 1
