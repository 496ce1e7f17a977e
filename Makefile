# Two commands for a newcomer: `make run` and `make test`. `make help` lists all.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO      ?= go
BIN     := bin/carozero
DEMO    := runs/demo
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.linkedVersion=$(VERSION) -X main.linkedCommit=$(COMMIT)

# Packages in which goroutines meet: these are tested once more with the race
# detector, but for tests that take long there and have a single goroutine, or whose
# goroutines others have as well. A program that it watches sleeps when it exits, a
# second by default, and some tests start many.
RACE := ./nn ./nn/onitama ./nn/onnx/... ./selfplay/... ./internal/arena ./mcts ./alphabeta ./alphabeta/fit ./internal/gomocup/... ./internal/crosscheck
ALONE := EveryTechniqueCounts|EveryTechniqueHasASetting|ErrorInFoursIsFound|OnitamaIsSolved|Regress|KnownGames|PonderHit|RowsAreTheEvaluation|GoldenSearches|Iterations|Source|MinimiseFindsKnownWeights|TDLeafLearnsARandomWalk|SolvesToyGames|GoldenTrees|CrashAtEveryStep|FollowIsRepeatedByAResume|VariantsAreReproducible|ConvictionsStand|PlantedBlunders|WebGPU|PackRefuses|DamagedArchives|NoExportIsHalfWritten|ExportRefuses|Export
# Tests are linked without tables for debuggers, which takes half as long; traces of
# panics and races need none.
# `make lint` vets everything once; the tests need not do so in each build.
TESTED := $(GO) test -ldflags=-w -vet=off
# The race detector and a build without cgo compile everything anew, and profit from
# no profile.
RACED := GORACE=atexit_sleep_ms=20 $(TESTED) -pgo=off -race -short

# The program, its tests and the tools are compiled alike, so that each package is
# compiled once. Go's flags cannot hold a path with spaces: there the tests compile
# anew, without the profile.
export GOFLAGS += -trimpath
ifeq ($(words $(CURDIR)),1)
export GOFLAGS += -pgo=$(CURDIR)/cmd/carozero/default.pgo
endif

# The portable instruction set is the fallback; v3 (AVX2, BMI2, FMA) is used
# where this machine has it. Results are the same bytes either way.
ifeq ($(shell grep -m1 -cw avx2 /proc/cpuinfo 2>/dev/null),1)
export GOAMD64 := v3
endif

.PHONY: deps build run site demo test test-more test-go test-sweep test-portable test-webgpu test-race test-train test-train-versions test-page test-browser test-wasm venv browser cross wheels test-python test-long test-learn size gomocup gomocup-network lint bench tactics book docs profile picture generate net nets clean help

deps: build ## fetch the pinned ONNX Runtime into the user's cache (once)
	@./$(BIN) runtime install

build: ## build bin/carozero
	@mkdir -p bin
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/carozero

browser: ## a Chromium for the tests: the system's, else a pinned one in the user's cache
	@$(GO) run ./internal/browser fetch >/dev/null

venv: ## the trainer's Python environment, train/.venv
	@./train/setup_venv.sh || [ "$${CI:-}" != true ]

# Go's own script for programs in a browser is of the version that compiles them.
SITE ?= site
site: ## the board as a folder of static files for any web server, SITE=site
	@mkdir -p bin
	GOOS=js GOARCH=wasm $(GO) build -pgo=off -ldflags '$(LDFLAGS)' -o bin/board.wasm ./cmd/board
	$(GO) run ./cmd/board -wasm bin/board.wasm -support "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" \
	  -version '$(VERSION)' -out '$(SITE)'

run: demo ## a minute's tour: both networks play, the games are checked and cross-checked
	@echo
	@echo 'Here lie the games, $(DEMO)/strong and $(DEMO)/line, and the rows of the cross-check, $(DEMO)/rows.jsonl.'
	@echo 'Look at them on a board: ./$(BIN) serve $(DEMO)/strong $(DEMO)/line $(DEMO)/rows.jsonl'
	@echo 'Next: make test, or let a network learn from nothing: train/setup_venv.sh && ./$(BIN) loop run runs/minute --config train/loops/minute.toml'

demo: deps
	@rm -rf $(DEMO)
	@mkdir -p $(DEMO)
	@echo '== the residual network plays, in batches through ONNX Runtime'
	./$(BIN) selfplay --model strong --games 12 --playouts 100 --seed 1 --out $(DEMO)/strong
	./$(BIN) samples verify $(DEMO)/strong
	./$(BIN) samples inspect $(DEMO)/strong
	@echo '== the line network plays'
	./$(BIN) selfplay --rule caro --size 15 --games 8 --playouts 100 --seed 1 --out $(DEMO)/line
	./$(BIN) samples verify $(DEMO)/line
	@echo '== the games of both, cross-checked against alpha-beta'
	./$(BIN) crosscheck --input $(DEMO)/strong --input $(DEMO)/line --mcts model=strong,playouts=100 --alphabeta nodes=50000 \
	  --positions-per-game 3 --rows $(DEMO)/rows.jsonl

# PyTorch is fetched and the trainer tested on one core; the Go tests take the rest.
test: deps browser ## the tests of program and trainer; what they need is fetched
	@$(MAKE) -j2 test-go test-train

test-more: test-sweep test-portable test-webgpu test-race ## what CI tests besides; see also test-page

test-go: deps browser
	$(TESTED) ./...

# What make test draws a part of: the tests that cover the more, the longer they run.
test-sweep: deps ## the sweeps over rule sets, values and damage that make test draws a part of
	$(TESTED) ./alphabeta/vcf -run 'Oracle|Replays' -positions 80 -replays 40
	$(TESTED) ./alphabeta/gomoku -run 'LeftOut|ShortWins' -lists 100
	$(TESTED) ./game/onitama/bitbase -run RandomPositions -sweep

# The build that wheels have, without cgo and for any x86-64 processor: it grows the same
# trees, and says what it cannot do.
PORTABLE := CGO_ENABLED=0 GOAMD64=v1
test-portable: deps
	$(PORTABLE) $(TESTED) -run Golden ./mcts
	$(PORTABLE) $(TESTED) ./nn/onnx
	$(PORTABLE) $(TESTED) -run 'NoCgo|Runtime' ./cmd/carozero
	$(PORTABLE) $(GO) vet ./cmd/carozero ./nn/onnx

test-webgpu: deps ## a network by WebGPU, on a driver that computes on the processor
	folder=$$($(GO) run ./internal/browser vulkan) && $(TESTED) ./nn/onnx -run WebGPU -vulkan "$$folder"

test-race: deps browser
	$(RACED) -skip '^Test($(ALONE))$$' $(RACE)
	$(RACED) -run 'Refused|SameBytes|Faulty|Dealing' ./internal/cluster
	$(RACED) -run 'Ponder|Players' ./internal/engine ./internal/players
	$(RACED) -run 'Terminate|Closed|Slow|Hostile|Interrupt|EndOf|Share|SearchTime|Done' ./internal/analysis -hostile 300
	$(RACED) -run 'Hostile|Shutdown|Socket|Rude|Broken|Token' ./internal/web -hostile 300

test-train: build ## the trainer's tests, and a plain script that reads fresh samples
	@if ./train/setup_venv.sh; then \
	  (cd train && .venv/bin/python -m pytest -q) && \
	  rm -rf runs/test && ./$(BIN) selfplay --model uniform --size 9 --games 8 --playouts 100 --games-per-shard 4 --out runs/test && \
	  train/.venv/bin/python selfplay/testdata/read.py runs/test && \
	  rm -rf runs/test-npz && ./$(BIN) samples export runs/test --out runs/test-npz && \
	  train/.venv/bin/python selfplay/testdata/read_export.py runs/test runs/test-npz && \
	  ./$(BIN) bitbase --cards Crab,Crane,Dragon,Monkey,Tiger --men 3 --out runs/three.bitbase && \
	  train/.venv/bin/python game/onitama/bitbase/check.py runs/three.bitbase; \
	elif [ "$${CI:-}" = true ]; then \
	  echo 'FAILED: the trainer was NOT tested: no PyTorch could be had, and CI demands it' >&2; exit 1; \
	else \
	  echo; echo 'NOTE: the trainer was NOT tested: no PyTorch could be had (see the line above).'; \
	fi

PAGE := internal/web/pagetest
test-browser: deps browser
	@$(MAKE) -s site SITE=bin/site
	$(TESTED) ./internal/web -run Browser -parts -site $(CURDIR)/bin/site

test-page: test-browser ## every part of the page in a browser; its unit tests, types and lint, with tools from npm
	@if node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || a == 20 && b >= 19 ? 0 : 1)' 2>/dev/null; then \
	  $(MAKE) -s test-wasm $(PAGE)/node_modules/.package-lock.json && cd $(PAGE) && npm run --silent types && npm run --silent lint && npm test --silent; \
	elif [ "$${CI:-}" = true ]; then \
	  echo 'FAILED: the page had NO unit tests: there is no Node.js 20.19 or later, and CI demands it' >&2; exit 1; \
	else \
	  echo; echo 'NOTE: the page had NO unit tests: they need Node.js 20.19 or later.'; \
	fi

# Node gets no more of the environment than it needs: Go's programs there take 8 KiB of it.
IN_NODE = env -i PATH="$$PATH" HOME="$$HOME" GOOS=js GOARCH=wasm $(GO) test -vet=off -exec "$$($(GO) env GOROOT)/lib/wasm/go_js_wasm_exec"
test-wasm: ## a board's answers in WebAssembly, in Node, equal the native ones bit for bit
	@mkdir -p bin
	$(GO) test -vet=off ./internal/board -run Offline -count 1 -args -answers="$$PWD/bin/native.answers"
	$(IN_NODE) ./internal/board -run Offline -count 1 -args -answers="$$PWD/bin/wasm.answers"
	$(IN_NODE) ./cmd/board
	cmp bin/native.answers bin/wasm.answers

# npm writes this file when all is installed.
$(PAGE)/node_modules/.package-lock.json: $(PAGE)/package-lock.json
	cd $(PAGE) && npm ci --silent

# What train/.venv has is one of the two, or between them.
VERSIONS ?= oldest newest
test-train-versions: build ## the trainer's tests with the oldest and the newest PyTorch that it supports
	@for v in $(VERSIONS); do \
	  ./train/setup_venv.sh $$v && echo "PyTorch $$v: $$(train/.venv-$$v/bin/python -c 'import torch; print(torch.__version__)')" && \
	  (cd train && .venv-$$v/bin/python -m pytest -q) || exit 1; \
	done

test-long: deps ## the long tests: deeper perft, longer walks and self-play
	$(GO) test -timeout 60m ./alphabeta -long
	$(GO) test -timeout 60m ./alphabeta/vcf -positions 900 -replays 400 -dense 200
	$(GO) test -timeout 60m ./alphabeta/gomoku -run LeftOut -lists 1000
	$(GO) test -timeout 60m ./internal/analysis -run Hostile -hostile 300000
	$(GO) test -timeout 10m ./internal/web -run Hostile -hostile 10000
	$(GO) test -timeout 10m ./cmd/carozero -run 'ManyBoards|Serve$$' -v -boards 50 -board-model=
	$(GO) test -timeout 30m ./internal/cluster -v -run Kills -kills 50
	$(GO) test -timeout 120m ./internal/crosscheck -run ConvictionsStand -v -convictions 500
	$(GO) test -timeout 60m ./cmd/carozero -run 'TestLoop$$' -loopkills 50
	$(GO) test -timeout 10m ./nn/line -run Damaged -damaged 10000
	command -v qemu-aarch64-static >/dev/null || apt-get install -y qemu-user-static
	$(GO) test -timeout 20m ./cmd/carozero -run Machines -machines amd64/v1,amd64/v3,arm64
	$(MAKE) test-learn

# Four of the twenty rounds that docs/loop.md tells of gain 300 Elo and more.
test-learn: deps ## a loop of five minutes learns to beat the random network that it began with
	./train/setup_venv.sh
	rm -rf runs/learn && mkdir -p runs
	cd train && .venv/bin/python -m carozero_train init --size b2c16 --seed 1 --out ../runs/random.onnx
	./$(BIN) loop run runs/learn --config train/loops/zero-9x9.toml --rounds 4
	./$(BIN) match --rule freestyle --size 9 --games 100 --json --a mcts:playouts=100,model=runs/learn/best.onnx,name=learnt \
	  --b mcts:playouts=100,model=runs/random.onnx > runs/learn-match.json
	@python3 -c 'import json; m = json.load(open("runs/learn-match.json")); print("Elo %+.0f +- %.0f" % (m["elo"], m["elo_error"])); assert m["elo"] > 200'

# Without blank lines, comments and generated files.
size: ## lines of Go code and of Go tests in each top folder
	@for d in alphabeta cmd game internal mcts models nn selfplay; do \
	  lines() { cat $$(git ls-files "$$d/*.go" | xargs grep -LE '^// Code generated .* DO NOT EDIT' | grep $$1 '_test\.go$$') /dev/null | grep -vcE '^\s*(//.*)?$$'; }; \
	  printf '%-10s %7d code %7d tests\n' "$$d" "$$(lines -v || :)" "$$(lines -e || :)"; \
	done

# Nothing of it is run, so inlining is left out: that saves time.
PLATFORMS ?= linux/amd64 linux/arm64 windows/amd64 windows/arm64 darwin/amd64 darwin/arm64
cross: ## compile for every platform, without cgo
	@for p in $(PLATFORMS); do \
	  echo "$$p"; CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -pgo=off -gcflags=all=-l -o /dev/null ./cmd/carozero; \
	done

# A wheel has the program for its platform inside: without cgo, for any processor of the
# kind. They are the same bytes for the same commit. PY names another Python, 3.10 or later.
WHEELS    := $(PLATFORMS)
WHEELSOUT := bin/wheels
PY ?= python3
wheels: ## the Python package for every platform, with the program inside, in bin/wheels
	@rm -rf $(WHEELSOUT)
	@[ -x python/.venv-build/bin/hatchling ] || { rm -rf python/.venv-build && $(PY) -m venv python/.venv-build && \
	  python/.venv-build/bin/pip install -q --disable-pip-version-check 'hatchling>=1.21'; }
	@for p in $(WHEELS); do \
	  program=$(CURDIR)/$(WHEELSOUT)/programs/$$p/carozero; [ "$${p%/*}" != windows ] || program=$$program.exe; \
	  echo "building $$program"; \
	  CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} GOAMD64=v1 $(GO) build -ldflags '$(LDFLAGS)' -o $$program ./cmd/carozero; \
	  (cd python && CAROZERO_WHEEL="$$p=$$program" SOURCE_DATE_EPOCH="$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)}" \
	    .venv-build/bin/hatchling build -t wheel -d ../$(WHEELSOUT)); \
	done
	@rm -rf $(WHEELSOUT)/programs

# The wheel of this machine in a new environment, then what needs PyTorch in the trainer's,
# by the program of make build, which has ONNX Runtime.
test-python: deps ## the Python package: installed from its wheel, and with PyTorch
	@$(MAKE) -s wheels WHEELS=$$($(GO) env GOHOSTOS)/$$($(GO) env GOHOSTARCH) WHEELSOUT=bin/wheel
	@rm -rf python/.venv && $(PY) -m venv python/.venv
	@python/.venv/bin/pip install -q --disable-pip-version-check "./$$(ls bin/wheel/*.whl)[data,env]" 'pytest>=7.2,<10' 'hatchling>=1.21'
	@cd bin && ../python/.venv/bin/pytest -c ../python/pyproject.toml ../python/tests
	@if ./train/setup_venv.sh; then \
	  cd bin && PYTHONPATH="$(CURDIR)/python" ../train/.venv/bin/python -m pytest -c ../python/pyproject.toml ../python/tests_torch; \
	elif [ "$${CI:-}" = true ]; then \
	  echo 'FAILED: Dataset was NOT tested: no PyTorch could be had, and CI demands it' >&2; exit 1; \
	else \
	  echo; echo 'NOTE: Dataset was NOT tested: no PyTorch could be had (see the line above).'; \
	fi

lint: ## gofmt, go vet, staticcheck
	@out=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); if [ -n "$$out" ]; then echo "gofmt would change: $$out" >&2; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

bench: deps ## the speed figures of every part, each against its raw limit
	./$(BIN) bench

tactics: build ## the suite of proven positions: solved, nodes and time per rule set
	./$(BIN) tactics

# About 70,000 positions an hour and core were measured with one worker on a busy machine,
# 5.2 to an expansion, and 122 bytes each; what a search for one win takes depends on its
# budget. Kill it and start it again as you like; nothing counts twice.
BOOKS      ?= runs/books
BOOKRULES  ?= caro freestyle
EXPANSIONS ?= 4600
PROOFS     ?= 1000
PROVENODES ?= 5000000
book: deps ## opening books of caro and freestyle 15x15, unattended, in runs/books; EXPANSIONS=4600 PROOFS=1000
	@mkdir -p $(BOOKS)
	@echo "About $(words $(BOOKRULES)) x $$(($(EXPANSIONS) * 52 / 10)) positions: some $$(($(words $(BOOKRULES)) * ($(EXPANSIONS) * 52 / 700000 + 1))) core-hours, and"
	@echo "$$(($(words $(BOOKRULES)) * ($(EXPANSIONS) * 52 / 10 * 122 / 1000000 + 1))) MB on the disk; then some seconds for each position that may be won, until $(PROOFS) are proven."
	@echo 'Stop it at any time: make book goes on where it was.'
	@for rule in $(BOOKRULES); do \
	  file=$(BOOKS)/$$rule.book; \
	  nice ./$(BIN) book build $$file --rule $$rule --size 15 --expansions $(EXPANSIONS) && \
	  nice ./$(BIN) book prove $$file --proofs $(PROOFS) --nodes $(PROVENODES) && \
	  nice ./$(BIN) book build $$file --rule $$rule --size 15 --expansions $(EXPANSIONS) && \
	  nice ./$(BIN) book verify $$file || exit 1; \
	done

profile: ## renew the profile that the compiler optimises the program by
	$(GO) test -run '^$$' -bench Profile -benchtime 8x -pgo=off -cpuprofile cmd/carozero/default.pgo -o /dev/null ./internal/bench

# make docs PAGES=docs/cli.md RENEW=-renew writes what the commands print into a page.
PAGES ?= README.md $(wildcard docs/*.md)
RENEW :=
docs: deps ## run the commands that README and docs show, and compare what they print
	@$(GO) run ./internal/docscheck -program $(BIN) -words 20000 $(RENEW) $(PAGES)

picture: deps browser ## renew the README's picture, docs/images/board.png, as Chromium shows it
	$(GO) run ./internal/browser board $(BIN) docs/images/board.png

generate: ## regenerate every generated file
	$(GO) generate ./...

SIZE ?= b4c64
net: ## an untrained net of a named size: make net SIZE=b4c64 OUT=FILE
	@test -n "$(OUT)" || { echo 'make net: say where: make net SIZE=b4c64 OUT=FILE' >&2; exit 2; }
	@./train/setup_venv.sh
	cd train && .venv/bin/python -m carozero_train init --size $(SIZE) --out $(abspath $(OUT))

games: build ## games to train networks on, unattended, in runs/games; SEED=1 POSITIONS=6000000 WORKERS=1
	@./train/games.sh

NETS ?= runs/nets
nets: deps ## the next networks to ship, in $(NETS): 30 core-hours; continues where it was
	@./train/setup_venv.sh
	./train/nets.sh $(NETS)

# Gomocup's limit is 8 MB by default (its announcements of 2021 to 2024), and its
# machines have AVX2. Nothing but the machine's own libraries is needed.
GOMOCUP_LIMIT := 8000000
# Inlining in libraries that no search calls costs half a megabyte.
GOMOCUPCOLD   := gorgonia.org gonum.org/v1/gonum github.com/apache/arrow google.golang.org/protobuf github.com/gogo/protobuf \
                 github.com/golang/protobuf github.com/google/flatbuffers github.com/klauspost golang.org/x/text
GOMOCUPFLAGS  := -trimpath -tags lines -pgo=$(CURDIR)/cmd/carozero/default.pgo $(foreach p,$(GOMOCUPCOLD),-gcflags=$(p)/...=-l) -ldflags '-s -w -X main.linkedVersion=$(VERSION)'
# The files in an archive are of the day of the commit, so that its bytes depend on them alone.
DATE          := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),315532800)
# $(call pack,ARCHIVE,FILES): all executable, at the root
define pack
	rm -f $(1) && chmod 755 $(2) && touch -d @$(DATE) $(2) && TZ=UTC zip -qjX9 $(1) $(2)
endef
# $(call unpacked,ARCHIVE,PROGRAM): the program plays a game against itself, alone in its folder
define unpacked
	rm -rf bin/gomocup/try && unzip -q $(1) -d bin/gomocup/try
	env -i HOME=$(CURDIR)/bin/gomocup/try ./$(BIN) match --a "exec:$(CURDIR)/bin/gomocup/try/$(2):time=100ms" \
	  --b "exec:$(CURDIR)/bin/gomocup/try/$(2):time=90ms" --games 2 --rule standard >/dev/null && rm -r bin/gomocup/try
endef
gomocup: build ## pack the classical engine for Gomocup, Windows and Linux, and play a game with it
	@mkdir -p bin/gomocup
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 GOAMD64=v3 $(GO) build $(GOMOCUPFLAGS) -o bin/gomocup/pbrain-carozero.exe ./cmd/pbrain
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 GOAMD64=v3 $(GO) build $(GOMOCUPFLAGS) -o bin/gomocup/pbrain-carozero ./cmd/pbrain
	$(call pack,bin/gomocup/pbrain-carozero-windows.zip,bin/gomocup/pbrain-carozero.exe)
	$(call pack,bin/gomocup/pbrain-carozero-linux.zip,bin/gomocup/pbrain-carozero)
	@for archive in bin/gomocup/pbrain-carozero-windows.zip bin/gomocup/pbrain-carozero-linux.zip; do \
	  [ $$(stat -c %s $$archive) -le $(GOMOCUP_LIMIT) ] || { echo "$$archive has more than $(GOMOCUP_LIMIT) bytes" >&2; exit 1; }; done
	$(call unpacked,bin/gomocup/pbrain-carozero-linux.zip,pbrain-carozero)

# The library of ONNX Runtime alone is larger than the limit, packed: this one is for
# managers and tournaments without one.
gomocup-network: build ## pack the tree search with its networks and ONNX Runtime, Linux, without a limit
	@mkdir -p bin/gomocup
	cp $(BIN) bin/gomocup/carozero
	printf '#!/bin/sh\nexec "$$(dirname "$$0")/carozero" gomocup --engine mcts\n' >bin/gomocup/pbrain-carozero-mcts
	cp "$$(./$(BIN) version --json | grep -o '"onnxruntime_path":"[^"]*"' | cut -d'"' -f4)" bin/gomocup/libonnxruntime.so.1
	$(call pack,bin/gomocup/pbrain-carozero-network-linux.zip,bin/gomocup/pbrain-carozero-mcts bin/gomocup/carozero bin/gomocup/libonnxruntime.so.1)
	$(call unpacked,bin/gomocup/pbrain-carozero-network-linux.zip,pbrain-carozero-mcts)

clean: ## remove what was built here (not runs, not the user's cache)
	rm -rf bin

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-19s %s\n", $$1, $$2}'
