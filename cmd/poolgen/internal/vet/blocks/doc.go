// Package blocks follows blocks of memory pools through the functions of a package, for the rules of poolgen vet.
//
// A function is walked along its control-flow graph in worlds. A world is the state of one path: which local variable holds which block, the status
// of each block, which condition had which value, and which calls are deferred. Worlds are never joined: a path on which v is nil is kept apart from
// one on which it is live, and a condition that occurs twice is decided once. If that would take too many worlds, nothing is reported about the
// function.
//
// A block that is passed to an unknown function, or captured by a closure that may keep the block, is handed on: other code is responsible for the
// block from then on, and nothing is reported about the block on that path. A block that is stored or sent is kept by other code, but a free by this
// function still counts, as it does for a block that the function takes from a field, a slice, a map or a channel. The key of a field or an element
// names the block there until something may have changed the field or element.
//
// The same walk infers what functions of the user's packages do with blocks, and keeps that as a fact, see [Summary]. Function literals are walked
// in the same way, with the variables that they capture as parameters.
package blocks
