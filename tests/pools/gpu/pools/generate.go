// Package pools holds generated pools for the GPU tests of load and of a nearly full device.
package pools

//go:generate go tool poolgen generate
