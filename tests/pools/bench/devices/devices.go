// Package devices holds the pools that tests/pools/bench measures next to the allocators of the CUDA driver.
package devices

//go:generate go tool poolgen generate
