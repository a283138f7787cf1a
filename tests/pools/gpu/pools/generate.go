// Package pools holds generated pools that are put under load, or fill a device, in the tests on a GPU.
package pools

//go:generate go tool poolgen generate
