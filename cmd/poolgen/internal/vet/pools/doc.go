// Package pools tells analyzers which functions are those of memory pools: it reads the directive //poolgen:pool that generated code carries for each pool, and keeps
// it as a fact of the package, so that users of the package know it, too. Nothing is guessed from names alone: a hand-written AllocVertex in a package without
// a pool Vertex is a function like any other.
package pools
