// Package spec is the front of the compiler: it reads a pool file and turns it into a [Plan].
//
//	[Load] text of a pool file -> [Document]: nodes with their places, nothing checked yet
//	[Document.Validate] Document -> [Plan]: every default filled in, every rule checked
//	[Explain], [Schema] describe a plan, or the language, from the same tables
//	[Format]            text of a pool file  -> its canonical form
//
// The plan goes to cmd/poolgen/internal/lower.
//
// Two tables define the language. The table of keys (keys_pool.go, keys_file.go) has the values of each key, its default, and where it applies; the
// table of codes (codes_*.go) has every diagnostic, with an example that causes it and one that does not. Validation, explanations, the JSON Schema
// and the language reference use these tables.
//
// A finding does not end validation: one run reports all findings of a file, in the order of the file, each with its place, its line, and the nearest
// correction.
//
//	doc, found := spec.Load("poolgen.yaml", src)
//	if doc == nil {
//		return found // not a readable file
//	}
//	plan, found := doc.Validate(env)
//	if plan == nil {
//		return found
//	}
//
// The package reads files only through the file system that is passed to [ScanDir], and it loads no Go packages: assertions in the output check what
// only the compiler of the output knows.
package spec
