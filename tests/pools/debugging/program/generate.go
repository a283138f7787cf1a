// Package program measures what the tag pooldebug costs a program that does little but allocate small blocks.
package program

//go:generate go tool poolgen generate
