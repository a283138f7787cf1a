// Package conformance checks generated pools for the behaviours in the OptiX Toolkit's own memory tests, for cases that those omit,
// and for promises that other pool libraries have broken. Each test is named after the number of the behaviour and says where poolgen
// differs on purpose. Behaviours of one suballocator are tested beside its template, and those that need a GPU or a stream with the
// driver's pools.
package conformance

//go:generate go tool poolgen generate
