// Package lookup tests the ways back to a block: from its address, its index and its handle.
package lookup

//go:generate go tool poolgen generate
