// Package pages holds pools of device_virtual memory whose suballocators map and unmap memory by pages. Its tests run on the simulated
// driver:
//
//	go test ./tests -pools '-tags cudasim ./devices/pages'
package pages

//go:generate go tool poolgen generate
