// Package ignore reads the directives //poolgen:ignore CODE reason and lets rules report through them.
//
// A directive silences one code on its own line, or on the next if nothing else is on its line. The reason is required. What is wrong with directives, and
// which of them silence nothing, is reported once all rules have run.
package ignore
