package main

// The tool is of another module than this example.
//go:generate go -C ../.. run ./cmd/poolgen generate generated_examples/sqlite/poolgen.yaml
