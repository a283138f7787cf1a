// Package blocks follows blocks of memory pools through the functions of a package, for the rules of poolgen vet.
//
// A function is walked along its control-flow graph in worlds. A world is the state of one path: which local variable holds which block, the status
// of each block, which condition had which value, and which calls are deferred. Worlds are never joined: a path on which v is nil is kept apart from
// one on which it is live, and a condition that occurs twice is decided once. If that would take too many worlds, nothing is reported about the
// function.
//
// A block that is passed to an unknown function, stored, sent, or captured by a closure is handed on: other code is responsible for it from then on,
// and nothing is reported about it on that path. The same walk infers what functions of the user's packages do with blocks, and keeps that as a
// fact, see [Summary].
package blocks
