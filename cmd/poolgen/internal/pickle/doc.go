// Package pickle reads and writes data in the format of Python's module pickle: numbers, texts, lists, tuples and dicts, as PyTorch has them in its snapshots of memory,
// which package foreign reads and package memoryviz writes.
//
// A pickle is a program for a machine with a stack, and the usual reader runs whatever functions it names. This one has the steps that make data, and refuses all
// others. It recurses nowhere, and what it holds in memory is bounded by whoever calls it.
package pickle
