// Package guards has pools of each kind whose blocks can be guarded, and their tests.
package guards

//go:generate go tool poolgen generate
