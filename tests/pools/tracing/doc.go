// Package tracing holds the tests of what the tag pooltrace adds to pools: go test ./tests -pools '-tags pooltrace ./tracing'
package tracing
