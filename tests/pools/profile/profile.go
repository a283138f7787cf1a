// Package profile has pools with the key profile, for its tests.
package profile

//go:generate go tool poolgen generate
