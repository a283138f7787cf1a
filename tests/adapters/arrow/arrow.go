// Package arrow tests generated adapters as allocators of Arrow: under its builders, its compute functions and its files.
package arrow

//go:generate go tool poolgen generate
