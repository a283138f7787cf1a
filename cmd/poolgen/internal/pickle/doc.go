// Package pickle reads data in the format of Python's module pickle: numbers, texts, lists, tuples and dicts, as in PyTorch's snapshots of
// memory, which package foreign reads.
//
// A pickle is a program for a stack machine, and Python's reader calls whatever functions it names. This reader has the opcodes that make data, and
// refuses all others. It does not recurse, and its caller bounds the memory that it takes.
package pickle
