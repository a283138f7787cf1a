// Package devices has pools of device memory with the key profile, for its tests on the simulated driver:
//
//	go test ./tests -pools '-tags cudasim ./profile/devices'
package devices

//go:generate go tool poolgen generate
