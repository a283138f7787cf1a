// Package devices holds the pools that tests/pools/bench measures beside the allocators of the CUDA driver.
package devices

//go:generate go tool poolgen generate
