// Package blocks follows blocks of memory pools through the functions of a package, for the rules of poolgen vet.
//
// A function is walked along its control-flow graph in worlds: what a path has decided so far. A world knows which local variable holds which block, what became of
// each block, which condition had which value and which calls are deferred. Worlds are never joined: a path on which v is nil is not mixed up with one on which it is
// live, and a condition that comes twice is decided once. Where that would take too many worlds, nothing is said about the function.
//
// A block that is passed to an unknown function, stored, sent, or captured by a closure is handed on: other code is responsible for it from there, and
// nothing is reported about it on that path. What functions of the user's packages do with blocks is inferred in the same walk and kept as a fact, see
// [Summary].
package blocks
