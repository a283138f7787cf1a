// Package sleep holds pools of device_virtual memory that give their memory back for a while. Its tests run on the simulated driver:
//
//	go test ./tests -pools '-tags cudasim ./devices/sleep'
package sleep

//go:generate go tool poolgen generate
