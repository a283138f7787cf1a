// Package tracing holds the tests of what the tag pooltrace adds to pools: go test -tags pooltrace ./tests/tracing
package tracing
