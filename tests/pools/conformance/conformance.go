// Package conformance tests that generated pools behave as the memory tests of the OptiX Toolkit require, cases that those omit,
// and guarantees that other pool libraries have broken. Each test is named after the number of the behaviour and states where poolgen
// differs on purpose. Behaviours of one suballocator are tested with its template, and those that need a GPU or a stream with the
// driver's pools.
package conformance

//go:generate go tool poolgen generate
