package lower

import (
	"slices"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// PackageFile is the name of the file that a package of pools has once.
const PackageFile = "poolgen.go"

// The names of the files that a package with exports has once, too.
const (
	ExportsGo     = "poolgen_c.go"
	ExportsC      = "poolgen.c"
	ExportsHeader = "poolgen.h"
)

// The names of the other files are that of a pool and one of these.
const (
	poolSuffix     = "_pool.go"
	shellSuffix    = "_shell.go"
	adaptersSuffix = "_adapters.go"
	testsSuffix    = "_poolgen_test.go"
	headerSuffix   = "_pool.h"
	coreSuffix     = "_core.go"
)

// IsFile reports whether a generated file could have the name.
func IsFile(name string) bool {
	if slices.Contains([]string{PackageFile, ExportsGo, ExportsC, ExportsHeader}, name) {
		return true
	}
	for _, suffix := range []string{poolSuffix, shellSuffix, adaptersSuffix, testsSuffix, headerSuffix, coreSuffix} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// Files are the names of a pool's files; "" for one that it does not have.
type Files struct {
	Pool     string // the API
	Shell    string // the fast path over the suballocator
	Adapters string
	Tests    string
	Core     string // its suballocator, unless an earlier pool has the same
	// Header is the C header. Its name is not that of the pool alone: the header of a pool Time would hide that of the C library.
	Header string
}

// FilesOf names the files of a pool.
func FilesOf(pool *spec.Pool) Files {
	stem := spec.FileStem(pool.Name)
	f := Files{Pool: stem + poolSuffix, Shell: stem + shellSuffix, Core: stem + coreSuffix}
	if len(pool.Adapters) > 0 {
		f.Adapters = stem + adaptersSuffix
	}
	if pool.Tests {
		f.Tests = stem + testsSuffix
	}
	if pool.HeaderKey() != "" {
		f.Header = stem + headerSuffix
	}
	return f
}

// Has reports whether a file is one of the pool's.
func (f Files) Has(name string) bool {
	return name != "" && (slices.Contains(f.Go(), name) || name == f.Core || name == f.Header)
}

// Go lists the Go files, except that of the suballocator.
func (f Files) Go() []string {
	return slices.DeleteFunc([]string{f.Pool, f.Shell, f.Adapters, f.Tests}, func(name string) bool { return name == "" })
}
