# Larder's two commands are `make demo` and `make test`; `make help` lists them all.
# Each installs the Debian packages it needs and finds missing (with sudo, where you aren't root).

SHELL := /bin/bash

# What `make soak` repeats; LARDER_SEED=… replays a run whose seed was printed.
ROUNDS ?= 20
# LARDER_PROGRAM=… lets them run another build of the program than the debug one beside them; with a release build and TMPDIR on a tmpfs they take a third of the time.
# How long `make fuzz` takes for each format.
FUZZ_SECONDS ?= 60
# How often `make bench` runs each contender.
RUNS ?= 5

SOURCES := Package.swift Sources Tests
# The same flags wherever release builds are made: a binary that needs no Swift on the machine it runs on, and looks for libraries nowhere but the system does.
RELEASE_BUILD := swift build --configuration release --static-swift-stdlib --disable-local-rpath --product
RELEASE := $(RELEASE_BUILD) larder

.PHONY: help build release install uninstall deb check-deb demo test test-root soak fuzz record bench docs format format-check clean

help: ## What can be made
	@sed --quiet 's/^\([a-z-]*\):.* ## /\1\t/p' $(MAKEFILE_LIST) | expand --tabs=16

build: ## A debug build of everything, tests too
	.ci/install build
	swift build --build-tests

release: ## .build/release/larder, which needs only libcurl, libcrypto, zlib, libdeflate, SQLite and expat
	.ci/install build
	$(RELEASE)

# Built by whoever may be another user than the one who installs, root. PREFIX=/usr/local, DESTDIR=.
install: ## The program, its manual, completions and systemd units, beneath $DESTDIR$PREFIX (/usr/local)
	@test -x .build/release/larder || { echo "make release first" >&2; exit 1; }
	.packaging/install .build/release/larder

uninstall: ## Take away what make install put there
	.packaging/install --remove

deb: ## A Debian package, .build/larder_VERSION_ARCHITECTURE.deb; DEBFULLNAME and DEBEMAIL say by whom
	.ci/install build package
	$(RELEASE)
	.packaging/deb .build/release/larder .build

check-deb: ## Whether lintian finds nothing wrong with that package, and it can be installed and removed
	.ci/install build package package-check
	$(RELEASE)
	.ci/check-package "$$(.packaging/deb .build/release/larder .build)"

demo: ## A sync that is interrupted half-way, and carries on
	.ci/install build demo
	$(RELEASE)
	Manifests/demo.sh .build/release/larder

# One test after the other: a test that keeps a core busy, or blocks a thread, must not make another one late.
TEST := swift test --no-parallel

test: ## All tests but those that need root; at most half an hour on two cores
	.ci/install build test
	$(TEST)

# Mounts and routes are made in namespaces of the tests' own, so that none outlives them.
test-root: ## The tests that need root: full disks, read-only mounts, lost networks
	@[ "$$(id -u)" = 0 ] || { echo 'make test-root needs root: sudo env PATH="$$PATH" make test-root' >&2; exit 1; }
	.ci/install build test root
	swift build --build-tests
	LARDER_ROOT_TESTS=1 unshare --mount --net sh -c 'ip link set lo up && $(TEST) --skip-build --filter RootTests'

soak: ## The randomised tests, many times over: ROUNDS=20, LARDER_SEED=…
	.ci/install build test
	LARDER_ROUNDS=$(ROUNDS) $(TEST) --filter SoakTests

fuzz: ## libFuzzer on the readers of zip, tar, gzip, HLS playlists and manifests: FUZZ_SECONDS=60 each
	.ci/install build
	for format in zip tar gzip hls json; do Tests/Fuzzing/run $$format $(FUZZ_SECONDS) || exit; done

record: ## Write anew what tests compare with: the texts of all rules, Rules.md, and the JSON Schema
	LARDER_RECORD=1 $(TEST) --filter 'RuleFixtureTests|theSchemaIsMadeFromTheTables'

bench: ## Larder against curl, wget2, aria2, rclone, yt-dlp, unzip, bsdtar, 7z and schema checkers: RUNS=5, BENCH="large-file many-files long-link memory game segments refresh arriving unpack validate create lists library"
	.ci/install build bench
	$(RELEASE)
	$(RELEASE_BUILD) DownloadMany
	$(RELEASE_BUILD) ReadManifest
	$(RELEASE_BUILD) ReadPlaylist
	Tests/Bench/bench.py .build/release $(RUNS) $(BENCH)

docs: ## The documentation of the program and of the library products, by DocC: .build/docs
	.ci/install build
	swift build
	.ci/check-docs

format: ## Format all Swift sources
	swift format --in-place --recursive $(SOURCES)

format-check: ## Whether all Swift sources are formatted and pass the lint
	swift format lint --strict --recursive $(SOURCES)

clean: ## Remove what was built
	swift package clean
