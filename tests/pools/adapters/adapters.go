// Package adapters has pools with the key adapters, of each kind that the key applies to.
package adapters

//go:generate go tool poolgen generate
