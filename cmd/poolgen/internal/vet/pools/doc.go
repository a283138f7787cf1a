// Package pools tells analyzers which functions belong to memory pools. It reads the directive //poolgen:pool that generated code has for each pool,
// and keeps it as a fact of the package, which is available where the package is imported. It guesses nothing from names alone: a hand-written
// AllocVertex in a package without a pool Vertex is an ordinary function.
package pools
