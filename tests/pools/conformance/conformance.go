// Package conformance runs pools, as poolgen generates them, through the behaviours of the OptiX Toolkit's own memory tests, the
// cases those leave out, and promises that pool libraries are seen to break. Each test is named after the behaviour's number and says
// where poolgen does something else on purpose. What belongs to one suballocator is tested beside its template, and what
// needs a GPU or a stream with the driver's pools.
package conformance

//go:generate go tool poolgen generate
