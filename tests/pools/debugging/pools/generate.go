// Package pools holds generated pools of every suballocator and kind of memory, for the tests of the tags pooldebug and pooltrace.
package pools

//go:generate go tool poolgen generate
