// Package facade writes the part of a generated pool that users read and call: the declarations that vary from pool to pool, and have
// no logic in them. Everything with a loop, an atomic, an unsafe cast or an invariant comes from the templates instead.
//
// It takes one resolved pool and renders a Go file with jennifer, which keeps the imports.
package facade
