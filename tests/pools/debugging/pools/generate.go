// Package pools holds generated pools of every suballocator and kind of memory, for the tests of what the tags pooldebug and pooltrace add.
package pools

//go:generate go tool poolgen generate
