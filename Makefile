# One way in. `make` alone lists the targets.
SHELL       := /bin/bash
PREFIX      ?= /usr/local
DESTDIR     ?=
SWIFT_BUILD := swift build -c release
CACHE       := $(or $(NEARCAST_CACHE),$(HOME)/.cache/nearcast)
PYTHON      := $(CACHE)/venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help root setup build bpf test test-unit parity parity-long kernels check format demo verify bench bench-peers compare drill chaos storm siege operator manage sizing unit conformance fuzz mutants install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install every missing dependency (quick when nothing is missing)
	@tools/setup

# Install what a target needs beyond that.
setup-%:
	@tools/setup --with $*

build: setup ## build nearcastd and nearcast, the BPF program inside
	$(SWIFT_BUILD) --product nearcastd
	$(SWIFT_BUILD) --product nearcast

bpf: setup ## compile the BPF program alone, to see its warnings
	tools/build-bpf

test: setup ## run all tests; as root, for the kernel tests
	tools/test

test-unit: setup ## run the tests that need no root, in parallel
	tools/test --unit

parity: root setup ## send random and malformed frames to the program and the resolver, and compare, for SECONDS=60 (root; SEED)
	tools/parity $(or $(SECONDS),60) $(SEED)

parity-long: root setup ## the same for an hour, or for MINUTES (root; SEED)
	tools/parity $$((60 * $(or $(MINUTES),60))) $(SEED)

kernels: root setup-kernels ## load and run the XDP program on Linux 6.1 and 6.12, in QEMU (root; takes minutes; ALL=1 runs every kernel test)
	$(SWIFT_BUILD) --build-tests
	tools/kernels $(if $(ALL),--all)

check: setup ## check formatting, scripts and imports, and build with warnings as errors
	tools/check

format: setup ## format Swift and C in place
	tools/check --fix

demo: root build ## show and verify everything in a lab of two namespaces (root; KEEP=1 leaves it up)
	$(PYTHON) tools/demo $(if $(KEEP),--keep)

verify: root build ## check 10,000 random prefixes of each family against an independent computation (root)
	$(PYTHON) tools/demo verify

bench: root setup-bench build ## measure performance (root; JSON=FILE writes one object per line; COMPARE=REF compares with that commit, ROUNDS=3)
	$(PYTHON) tools/bench$(if $(COMPARE),/commits $(COMPARE) $(if $(ROUNDS),--rounds $(ROUNDS))) $(if $(JSON),--json $(JSON))

bench-peers: root setup-bench-peers build ## measure the slow path next to NSD, Knot and gdnsd (root; JSON=FILE, ROUNDS=5)
	$(PYTHON) tools/bench/peers $(if $(JSON),--json $(JSON)) $(if $(ROUNDS),--rounds $(ROUNDS))

compare: root setup-compare build ## compare node selection with gdnsd and PowerDNS (root; COUNT, SEED, DATABASE, JSON)
	$(PYTHON) tools/compare $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) \
		$(if $(DATABASE),--database $(DATABASE)) $(if $(JSON),--json $(JSON))

drill: root build ## kill, restart and replace the daemon under load, and count lost queries (root; RATE, KILLS, ONLY)
	$(PYTHON) tools/drill $(if $(RATE),--rate $(RATE)) $(if $(KILLS),--kills $(KILLS)) $(if $(ONLY),--only $(ONLY))

storm: root build ## change records, zones, location table and nodes at once under load (root; NAMES=100000, SECONDS=20, RATE, CHANGES=1000, JSON)
	$(PYTHON) tools/storm $(if $(NAMES),--names $(NAMES)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(RATE),--rate $(RATE)) \
		$(if $(CHANGES),--changes $(CHANGES)) $(if $(JSON),--json $(JSON))

chaos: root build ## break nodes and the daemon at random under load, and check every answer (root; SEED, SECONDS=300, RATE, JSON)
	$(PYTHON) tools/chaos $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(RATE),--rate $(RATE)) \
		$(if $(JSON),--json $(JSON))

siege: root setup-siege build ## attack the daemon from outside, and measure what honest clients lose (root; SECONDS=120, SEED, JSON)
	$(PYTHON) tools/siege $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) $(if $(JSON),--json $(JSON))

operator: root setup-operator build ## play an operator's week: families, routes, mass failure, statuses, readiness, logs, metrics, programs (root)
	$(PYTHON) tools/operator $(if $(ONLY),--only $(ONLY))

manage: setup build ## plan and apply changes on a live daemon, and compare with what clients then get (SEED, JSON)
	$(PYTHON) tools/manage $(if $(SEED),--seed $(SEED)) $(if $(JSON),--json $(JSON))

sizing: root build ## measure memory, CPU and descriptors by names, nodes and zones (root)
	$(PYTHON) tools/sizing

unit: root build ## test the daemon with the user, capabilities and sandbox of its systemd unit (root)
	$(PYTHON) tools/unit
	$(PYTHON) tools/unit --systemd

conformance: root setup-conformance build ## compare every answer with other servers (root; CONFORMANCE_KIT, SEEDS=1-2, MUTANTS=20000, ONLY)
	$(PYTHON) tools/conformance $(if $(CONFORMANCE_KIT),--kit $(CONFORMANCE_KIT)) $(if $(SEEDS),--seeds $(SEEDS)) \
		$(if $(MUTANTS),--mutants $(MUTANTS)) $(if $(ONLY),--only $(ONLY))

fuzz: setup ## fuzz the parsers and the resolver under the address sanitizer (SECONDS=60 each)
	SECONDS_EACH=$(or $(SECONDS),60) tools/fuzz/run

mutants: setup ## make small mistakes in critical code, and count those that tests find (COUNT=20, SEED, AREAS, JSON; some areas need root)
	$(PYTHON) tools/mutants $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) $(if $(AREAS),--areas $(AREAS)) \
		$(if $(JSON),--json $(JSON))

# Namespaces and programs in the kernel need root. Say so before the build, not after it.
root:
	@test "$$(id -u)" = 0 || { echo "make: run it as root: sudo make $(MAKECMDGOALS)" >&2; exit 1; }

install: ## install what `make build` built, with a systemd unit (DESTDIR, PREFIX)
	packaging/install "$(DESTDIR)" "$(PREFIX)"

clean: ## remove what was built; the cache of `make setup` stays
	rm -rf .build .build-fuzz
