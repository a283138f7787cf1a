// Package ignore reads the directives //poolgen:ignore CODE reason, and reports findings that no directive silences.
//
// A directive silences one code on its own line, or on the next if nothing else is on its line. The reason is required. Malformed directives, and
// directives that silence nothing, are reported after all rules have run.
package ignore
