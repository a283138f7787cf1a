// Package spec is the front of the compiler: it reads a pool file and turns it into a [Plan].
//
//	[Load]              text of a pool file  -> [Document]: nodes with their places, nothing judged yet
//	[Document.Validate] Document             -> [Plan]: every default filled in, every rule held
//	[Explain], [Schema] tell what a plan or the language says, from the same tables
//	[Format]            text of a pool file  -> its canonical form
//
// The plan goes to cmd/poolgen/internal/lower.
//
// Two tables hold the language. The table of keys (keys_pool.go, keys_file.go) has the values of each key, its default, and where it applies; the table of
// codes (codes_*.go) has every diagnostic, with an example that causes it and one that does not. Validation, explanations, the JSON Schema and the
// reference in the documentation are made from them.
//
// A finding never stops the pass: one run reports all findings of a file, in file order, each with its place, its line, and the nearest correction.
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
// The package reads no files, except through the file system that [ScanDir] is given, and it loads no Go packages: assertions in the output check what
// only the compiler of the output knows.
package spec
