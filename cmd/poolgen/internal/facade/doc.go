// Package facade writes the part of a generated pool that users read and call: the declarations that vary from pool to pool and have no logic. Everything
// with a loop, an atomic, an unsafe cast or an invariant comes from the templates instead.
//
// It prints the Go files of a pool of a lower.Package: the API with jennifer, which manages the imports, and tests as text.
package facade
