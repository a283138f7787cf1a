package cheader

import "github.com/poolgen/poolgen/spec"

// refused says why C cannot represent a type: its place in the item, what is wrong, and what to do.
type refused struct {
	path, why, help string
	note            *spec.Note // what the compiler says; may be nil
}

func (r *refused) Error() string {
	if r.path == "" {
		return "the type " + r.why
	}
	return "field " + r.path + " " + r.why
}

// pointer refuses a type that holds pointers.
func pointer(path, what string) *refused {
	return &refused{path: path, why: "is " + what + ": C cannot follow what Go points to", help: "use an array of fixed length, or a number that stands for the other"}
}

// uncompiled refuses types that Go does not compile, because go/types may have lost a field of them.
func uncompiled(path string, note *spec.Note) *refused {
	why := "does not compile"
	if path != "" {
		why = "is of a type that does not compile"
	}
	return &refused{path: path, why: why, help: "correct the Go code", note: note}
}
