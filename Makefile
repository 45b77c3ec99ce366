# How hjall is built, checked and tested. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Commands that run make themselves, and cargo, would take options such as --jobs for theirs.
unexport MAKEFLAGS MFLAGS

PYTHON ?= python3
NODE ?= node
DATA ?= ./hjall-data
LISTEN ?= 127.0.0.1:9090
# Rounds of the crash test. More find more: make test-crash CRASH_ROUNDS=300
CRASH_ROUNDS ?= 25
# Rounds of the test of power failures.
POWER_ROUNDS ?= 10
# Replays other transcripts than the committed ones: make test-judge TRANSCRIPTS=other.json
TRANSCRIPTS ?=
# `dev` or `release`, for build-python and build-node. Tests use the development profile.
PROFILE ?= dev
$(if $(filter-out dev release,$(PROFILE)),$(error PROFILE is dev or release, not $(PROFILE)))
# mdBook, for `make site`. An installed one can be used instead of building it: make site MDBOOK=mdbook
MDBOOK ?= .tools/mdbook-0.5.4/bin/mdbook
# Time for each part of `make fuzz`.
SECONDS ?= 60
# Options for `make bench` and `make bench-hbase`: make bench BENCH="--rounds 1 --seconds 1 --only get,put"
BENCH ?=
# Time for `make linear` and `make soak`, and a seed: make linear MINUTES=60 SEED=7
MINUTES ?=
SEED ?=
# cargo-deny. An installed one can be used instead of building it: make check CARGO_DENY=cargo-deny
CARGO_DENY ?= .tools/cargo-deny-0.20.2/bin/cargo-deny

target := $(or $(CARGO_TARGET_DIR),target)
# All tests use one build: the development profile, which optimises dependencies.
export HJALL_BIN := $(abspath $(target))/debug/hjall
python := .venv/bin/python
maturin := cd python && PATH="$(CURDIR)/.venv/bin:$$PATH" maturin
pytest := $(python) -m pytest -q --no-header -p no:cacheprovider
# $(call check,NAME,COMMAND) runs a command and prints one line with its outcome. .ci/run counts these lines.
check = @echo "check $(1): …"; if $(2); then echo "check $(1): ok"; else echo "check $(1): FAILED"; exit 1; fi

.PHONY: help run release release-pgo site test check fuzz judge judge-random bench bench-hbase idl clients requirements build binary cargo-there python-there node-there \
  test-rust test-judge test-rest test-clients test-examples test-documents test-shell test-operation test-hostile hostile faults test-crash crash test-linear linear soak test-bench test-python build-python release-python test-node build-node release-node package-node \
  check-format check-lints check-dependencies check-advisories check-fuzz check-perf check-documents check-generated check-tidy check-node check-python check-python-types test-sdist wheel

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-16s %s\n", $$1, $$2 }'

run: release ## build hjall and serve on 127.0.0.1:9090 with the data in ./hjall-data (LISTEN=, DATA=) until Ctrl-C
	exec $(target)/release/hjall serve --data $(DATA) --listen $(LISTEN)

release: cargo-there ## build hjall for use: target/release/hjall. The first build takes about 7 minutes on 2 cores
	@[ -e $(target)/release/hjall ] || echo "building hjall: the first time, this takes about 7 minutes on 2 cores"
	cargo build --locked --release --bin hjall

# The compiler arranges the code by the calls of a benchmark. `--target` keeps the flags from build scripts.
pgo := $(abspath $(target))/pgo
pgo-build = cargo build --locked --release --bin hjall --target $$host --target-dir $(pgo)/$(1)
release-pgo: cargo-there ## hjall for use, optimised with the profile of a benchmark: target/pgo/hjall. Takes about 15 minutes on 2 cores
	@command -v rustup >/dev/null || { echo "make release-pgo needs rustup, for the compiler's component llvm-tools: https://rustup.rs"; exit 1; }
	rustup component add llvm-tools
	rm -rf $(pgo)/profile && mkdir -p $(pgo)/profile
	cargo build --locked --release --bin hjall-bench
	host=$$(rustc -vV | sed -n 's/^host: //p'); \
	  RUSTFLAGS="-Cprofile-generate=$(pgo)/profile" $(call pgo-build,instrumented); \
	  HJALL_RELEASE_BIN=$(pgo)/instrumented/$$host/release/hjall \
	    $(target)/release/hjall-bench compare --redis "" --rounds 1 --seconds 1 \
	    --only get,overwritten,both,put,fsync,scan,bulk,large,ycsb --large 1000000 --records 20000; \
	  $$(rustc --print sysroot)/lib/rustlib/$$host/bin/llvm-profdata merge -o $(pgo)/hjall.profdata $(pgo)/profile; \
	  RUSTFLAGS="-Cprofile-use=$(pgo)/hjall.profdata" $(call pgo-build,optimised); \
	  cp $(pgo)/optimised/$$host/release/hjall $(pgo)/hjall

test: test-rust test-judge test-rest test-clients test-examples test-shell test-operation test-hostile test-crash test-linear test-bench test-python test-node test-documents ## all tests, from a fresh clone; random ones use fixed seeds

check: check-format check-lints check-dependencies check-documents check-generated check-tidy check-node check-python check-python-types ## formatting, lints, dependencies and their licences, documents, generated code

# -- tests ------------------------------------------------------------------------------------------

test-rust: cargo-there ## the Rust tests of all crates
	cargo test --locked --workspace

faults: cargo-there ## every store call failing at every point of short histories, damage to every file of a folder; prints figures
	FAULTS=long cargo test --locked --workspace --test engine -- faults:: --nocapture

test-judge: build .venv/.complete ## HBase's recorded answers, replayed against the server
	$(python) tests/judge/judge.py suite $(TRANSCRIPTS)
	$(pytest) tests/judge

test-rest: build .venv/.complete ## what HBase's REST gateway answered, replayed against the server
	$(pytest) tests/rest

test-clients: build .venv/.complete ## stock HappyBase, aiohappybase and easybase: programs, and their own test suites
	$(pytest) tests/clients/python
	$(python) tests/clients/run easybase

test-examples: build .venv/.complete ## the programs of examples/, which assert what they show
	$(pytest) examples

test-documents: build-python build-node .venv/.complete ## every snippet of README.md, docs/ and the package pages, in order, as a reader would paste it
	$(pytest) tests/documents

test-shell: build .venv/.complete ## the shell: HBase's recorded transcripts, the terminal, scripts, the guides' walk-throughs
	$(pytest) tests/shell

test-operation: build .venv/.complete ## what operators use: settings, SIGHUP, metrics, health, slow calls
	$(pytest) tests/operation

test-hostile: build .venv/.complete ## attacks on the server with small limits: it must survive, and others must be served
	$(pytest) tests/hostile

hostile: build .venv/.complete ## the same attacks at length, with the default limits; prints figures of memory and latency
	HOSTILE=long $(pytest) -s tests/hostile

test-crash: build build-python .venv/.complete ## kill -9 during writes, CRASH_ROUNDS times, and POWER_ROUNDS simulated power failures
	CRASH_ROUNDS=$(CRASH_ROUNDS) POWER_ROUNDS=$(POWER_ROUNDS) $(pytest) tests/crash

crash: CRASH_ROUNDS = 2000
crash: POWER_ROUNDS = 2000
crash: build build-python .venv/.complete ## the same, thousands of times (CRASH_ROUNDS=, POWER_ROUNDS=, CRASH_SEED=, POWER_SEED=); prints figures
	CRASH_ROUNDS=$(CRASH_ROUNDS) POWER_ROUNDS=$(POWER_ROUNDS) $(pytest) -s tests/crash

test-linear: build .venv/.complete ## linearizability of rows under concurrent clients, kills and compactions; tests of its checker
	$(pytest) tests/linear

linear: build .venv/.complete ## the same for MINUTES (5) with a new seed; prints figures, keeps a failing history in target/linear
	$(python) tests/linear/linear.py run --minutes $(or $(MINUTES),5) $(if $(SEED),--seed $(SEED))

test-bench: build .venv/.complete ## that the benchmarks run, in a short form; figures are not judged
	$(pytest) tests/bench

soak: cargo-there .venv/.complete ## a mixed load over 200 families for MINUTES (20): memory, latencies, no lost write
	cargo build --locked --release --bin hjall
	HJALL_BIN=$(abspath $(target))/release/hjall $(python) tests/soak/soak.py --minutes $(or $(MINUTES),20)

test-python: build-python .venv/.complete ## the Python package, with the extension built from this tree
	$(pytest) python/tests

# Builds the package from its source distribution alone, in an empty virtual environment. The development profile is
# enough, since nothing is measured.
test-sdist: cargo-there .venv/.complete ## the Python package, installed from its source distribution into an empty environment
	rm -rf $(target)/sdist && mkdir -p $(target)/sdist
	$(maturin) sdist --out $(abspath $(target))/sdist
	$(PYTHON) -m venv $(target)/sdist/venv
	CARGO_TARGET_DIR=$(abspath $(target)) $(target)/sdist/venv/bin/python -m pip install --quiet --disable-pip-version-check \
	  --config-settings=build-args="--profile dev" $(target)/sdist/hjall-*.tar.gz
	cd $(target)/sdist && venv/bin/python $(CURDIR)/python/tests/installed.py

wheel: cargo-there .venv/.complete ## the Python package as a wheel for this platform, in target/wheels
	$(PYTHON) bindings/licences.py hjall-python > python/THIRD-PARTY-LICENSES
	$(maturin) build --release --locked --out $(abspath $(target))/wheels

test-node: build-node node/node_modules/.complete ## the Node package, with the module built from this tree
	cd node && $(NODE) --test --test-reporter=spec test/*.test.js test/*/*.test.js

package-node: cargo-there node-there python-there ## the npm packages for this platform, as tarballs in target/npm
	CARGO_PROFILE_RELEASE_STRIP=symbols cargo build --locked --release -p hjall-node
	$(PYTHON) bindings/licences.py hjall-node > $(target)/node-licences
	$(NODE) node/tools/pack.js --licences $(target)/node-licences $(target)/npm "$$($(NODE) -p 'require("./node/lib/embedded/native.js").platform()')=$(target)/release/$(node-module)"

fuzz: build-node build-python .venv/.complete ## random seeds for SECONDS: cargo-fuzz targets and random suites; keeps failures in fuzz/
	NODE=$(NODE) fuzz/run $(SECONDS)

judge: build build-node .venv/.complete ## ask real HBase again and compare with the recordings (needs Java 11 or 17, and Maven)
	@command -v java >/dev/null || { echo "make judge needs Java 11 or 17 (Debian: apt install openjdk-17-jre-headless)"; exit 1; }
	@command -v mvn >/dev/null || { echo "make judge needs Maven (Debian: apt install maven)"; exit 1; }
	NODE=$(NODE) tests/judge/rerecord $(python)

judge-random: build .venv/.complete ## random calls of every kind beside a live HBase for SECONDS (needs Java and Maven); keeps what differs in .judge/random
	@command -v java >/dev/null || { echo "make judge-random needs Java 11 or 17 (Debian: apt install openjdk-17-jre-headless)"; exit 1; }
	@command -v mvn >/dev/null || { echo "make judge-random needs Maven (Debian: apt install maven)"; exit 1; }
	trap 'tests/judge/hbase down' EXIT; tests/judge/hbase up; \
	  $(python) tests/judge/judge.py random tests/judge/scenarios/*.py --out .judge/random --seconds $(SECONDS) --seed $(or $(SEED),$$RANDOM)

clients: build .venv/.complete ## the client programs of every language whose toolchain is installed
	$(python) tests/clients/run

bench: cargo-there ## hjall beside Redis and raw fjall, with YCSB: tables and plots in bench/results. Takes about 25 minutes; shorter: BENCH="--rounds 1 --seconds 1"
	bench/run compare --out bench/results $(BENCH)

bench-hbase: cargo-there ## the same calls on a real HBase, hjall and Redis, in bench/results/hbase (needs Java and Maven; BENCH=)
	@command -v java >/dev/null || { echo "make bench-hbase needs Java 11 or 17 (Debian: apt install openjdk-17-jre-headless)"; exit 1; }
	@command -v mvn >/dev/null || { echo "make bench-hbase needs Maven (Debian: apt install maven)"; exit 1; }
	trap 'tests/judge/hbase down' EXIT; tests/judge/hbase up; \
	  bench/run compare --hbase 127.0.0.1:19090 --only get,put,scan,bulk --out bench/results/hbase $(BENCH)

idl: ## generate the Rust code of idl/ from its Thrift files
	@command -v thrift >/dev/null || { echo "make idl needs the Apache Thrift compiler 0.17.0 (Debian: apt install thrift-compiler)"; exit 1; }
	$(PYTHON) idl/generate.py

# -- checks -----------------------------------------------------------------------------------------

check-format: cargo-there
	$(call check,format,cargo fmt --all --check && cargo fmt --manifest-path fuzz/Cargo.toml --check)

# With all features, in one command: each further set of features would compile the shared dependencies again.
check-lints: cargo-there
	$(call check,lints,cargo clippy --locked --workspace --all-targets --all-features -- -D warnings)

check-dependencies: cargo-there $(filter .tools/%,$(CARGO_DENY))
	$(call check,dependencies,$(CARGO_DENY) --locked check licenses bans sources)
	$(call check,dependencies-fuzz,cargo metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null)

# Not part of `make check`: it downloads the RustSec database from GitHub, and fails when an advisory appears, without
# any change here.
check-advisories: cargo-there $(filter .tools/%,$(CARGO_DENY)) ## security advisories for dependencies, from the RustSec database
	$(call check,advisories,$(CARGO_DENY) --locked check advisories)

# Not part of `make check`: libFuzzer needs a C++ compiler, and its workspace compiles all dependencies again.
check-fuzz: cargo-there ## that the targets of fuzz/ compile
	$(call check,fuzz,cargo check --locked --manifest-path fuzz/Cargo.toml)

# Not part of `make check`: it needs valgrind and a release build.
check-perf: cargo-there python-there node-there ## that calls execute no more instructions than bench/instructions.toml allows (needs valgrind)
	@command -v valgrind >/dev/null || { echo "make check-perf needs valgrind (Debian: apt install valgrind)"; exit 1; }
	cargo build --locked --release -p hjall-server -p hjall-python -p hjall-node --bins --lib
	$(call check,perf,NODE=$(NODE) HJALL_RELEASE_BIN=$(target)/release/hjall $(PYTHON) bench/instructions.py --check bench/instructions.toml)

check-documents: cargo-there
	$(call check,documents,RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --all-features --no-deps)

check-generated: python-there
	$(call check,generated,$(PYTHON) idl/generate.py --check)

# mdBook can be used where it is installed: make site MDBOOK=mdbook
site: .venv/.complete $(filter .tools/%,$(MDBOOK)) ## the documentation as a site with search, in target/site/book
	$(python) docs/site.py $(target)/site/source
	$(MDBOOK) build $(target)/site/source --dest-dir $(abspath $(target))/site/book

check-tidy: cargo-there .venv/.complete
	$(pytest) tests/tidy

# pyright is a program for Node, and one of the tools that check the Node package.
check-python-types: build-python .venv/.complete node/node_modules/.complete
	$(call check,python-types,cd python && ../$(python) -m mypy src/hjall tests/typed)
	$(call check,python-pyright,$(python) python/tests/typed/check.py node/node_modules/.bin/pyright)
	$(call check,python-stubs,cd python && MYPYPATH=src PYTHONPATH=src ../$(python) -m mypy.stubtest hjall._native)

check-python: .venv/.complete
	$(call check,python-format,$(python) -m ruff format --check python)
	$(call check,python-lints,$(python) -m ruff check python)

check-node: node/node_modules/.complete
	$(call check,node-contract,$(NODE) node/tools/schema.js --check)
	$(call check,node-vocabulary,$(NODE) node/tools/vocabulary.js --check)
	$(call check,node-lints,cd node && node_modules/.bin/eslint --max-warnings 0 .)
	$(call check,node-types,cd node && node_modules/.bin/tsc -p test/types)

# -- prerequisites ---------------------------------------------------------------------------------

# Everything in one command: Cargo unifies the features of shared dependencies per command, and building parts one by
# one would compile those dependencies twice.
build: cargo-there
	$(if $(and $(filter build,$(MAKECMDGOALS)),$(filter release,$(PROFILE))),@echo "make build builds what the tests use: the development profile. For use: make release or make build-python PROFILE=release or make build-node PROFILE=release"; exit 1)
	cargo build --locked --workspace --bins --lib --tests

profile-folder = $(target)/$(if $(filter release,$(PROFILE)),release,debug)

# Puts the extension next to the package's sources, where Python finds it. `mv` replaces the file at once, so that a
# running program keeps the old one mapped.
extension := python/src/hjall/_native.$(if $(filter Windows_NT,$(OS)),pyd,abi3.so)
build-python: $(if $(filter release,$(PROFILE)),release-python,build) python-there ## the extension module, into python/src/hjall: a debug build, unless PROFILE=release
	cp $(profile-folder)/$(if $(filter Windows_NT,$(OS)),_native.dll,$(if $(filter Darwin,$(shell uname)),lib_native.dylib,lib_native.so)) $(extension).new
	mv -f $(extension).new $(extension)
	$(if $(filter release,$(PROFILE)),,@echo "this is a debug build, for tests; for use: make build-python PROFILE=release, or pip install ./python")

release-python: cargo-there
	cargo build --locked --release -p hjall-python

# Puts the native module next to the package's sources, named after the platform. `mv` for the same reason as above.
node-module := $(if $(filter Windows_NT,$(OS)),hjall_node.dll,$(if $(filter Darwin,$(shell uname)),libhjall_node.dylib,libhjall_node.so))
build-node: $(if $(filter release,$(PROFILE)),release-node,build) node-there ## the native module, into node/: a debug build, unless PROFILE=release
	cp $(profile-folder)/$(node-module) node/.new.node
	mv -f node/.new.node node/hjall.$$($(NODE) -p 'require("./node/lib/embedded/native.js").platform()').node
	$(if $(filter release,$(PROFILE)),,@echo "this is a debug build, for tests; for use: make build-node PROFILE=release")

release-node: cargo-there
	cargo build --locked --release -p hjall-node

# The marker file is written last, so that an interrupted installation starts over.
.venv/.complete: tests/requirements.txt | python-there
	rm -rf .venv
	$(PYTHON) -m venv .venv || { echo "Python's venv module is missing (Debian: apt install python3-venv)"; exit 1; }
	$(python) -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	touch $@

# The development profile compiles in half the time, and is fast enough for one run.
.tools/cargo-deny-%/bin/cargo-deny: | cargo-there
	cargo install --quiet --locked --debug --root .tools/cargo-deny-$* cargo-deny@$*

.tools/mdbook-%/bin/mdbook: | cargo-there
	cargo install --quiet --locked --debug --root .tools/mdbook-$* mdbook@$*

requirements: .venv/.complete ## update the pins of tests/requirements.txt from tests/requirements.in
	$(python) -m pip install --quiet pip-tools
	$(python) -m piptools compile --quiet --allow-unsafe --generate-hashes --no-annotate --no-header --no-emit-index-url \
	  --no-emit-find-links --strip-extras -o tests/requirements.txt tests/requirements.in

# Tools that check the Node package. The package itself has no dependencies.
node/node_modules/.complete: node/package-lock.json | node-there
	@command -v npm >/dev/null || { echo "npm is missing (Debian: apt install npm)"; exit 1; }
	cd node && npm ci --silent
	touch $@

cargo-there:
	@command -v cargo >/dev/null || { echo "Rust is missing: install it with rustup, https://rustup.rs (rust-toolchain.toml names the version)"; exit 1; }

python-there:
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.10 or newer is missing (Debian: apt install python3 python3-venv)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "the tests need Python 3.10 or newer: make PYTHON=python3.12 …"; exit 1; }

node-there:
	@command -v $(NODE) >/dev/null || { echo "Node 20 or newer is missing (Debian: apt install nodejs npm)"; exit 1; }
	@$(NODE) -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' || { echo "the Node package needs Node 20 or newer: make NODE=/path/to/node …"; exit 1; }
