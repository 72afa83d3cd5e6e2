# Every target is one script under .ci/; each prepares what it needs, so any of them works in a fresh clone.

.PHONY: help setup serve test test-native test-web bench eval fmt lint wasm
.NOTPARALLEL:

help:
	@echo 'make serve        the playground on localhost'
	@echo 'make test         everything: lint, native, wasm, browser'
	@echo 'make test-native  the native suite on the default backend only'
	@echo 'make test-web     wasm build, unit, wasm and browser tests only'
	@echo 'make bench        speed, against recorded peers'
	@echo 'make eval         completion quality'
	@echo 'make fmt lint     formatters, linters'
	@echo 'make setup        tools, packages and test weights (done by all others)'

setup:
	@.ci/setup

serve test test-native test-web bench eval fmt lint: setup
	@.ci/$@

wasm: setup
	@.ci/build-wasm
