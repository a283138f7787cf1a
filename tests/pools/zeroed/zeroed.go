// Package zeroed has pools of each kind whose blocks are zero whenever they are handed out.
package zeroed

//go:generate go tool poolgen generate
