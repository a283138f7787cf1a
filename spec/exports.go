package spec

import "slices"

// ExportC is the value of the key exports.
const ExportC = "c"

// ExportVerbs are the ends of the names that C has for a pool: foo_alloc. A pool has those that fit it.
var ExportVerbs = []string{"alloc", "free", "stats", "error", "trim", "set_limit", "driver_stats", "reset_peaks"}

// takenInC are names of C libraries that would be those of functions of a pool, and what has them.
var takenInC = map[string]string{
	"aligned_alloc": "the C library", "malloc_stats": "the C library", "malloc_trim": "the C library", "obstack_alloc": "the C library", "obstack_free": "the C library",
	"xdr_free": "the C library", "poolgen_stats": "every such header",
}

// CName returns a name that C has for a pool.
func CName(pool, verb string) string { return FileStem(pool) + "_" + verb }

// readExports reads a list of words.
func (c *poolCheck) readExports(k *Key, n *node) bool {
	words, _, ok := c.readWords(k, n, codeUnknownValue)
	if ok {
		c.p.Exports = words
	}
	return ok
}

// checkExports refuses exports of a package that cannot be a library, and names that C cannot have, or has already. C has one name space: the
// functions of views are in it, too.
func (f *checker) checkExports() {
	views := map[string]*poolCheck{}
	for _, c := range f.pools {
		for _, verb := range []string{"alloc", "free"} {
			if c.p.Views() {
				views[f.plan.Package+"_"+c.p.Name+"_"+verb] = c
			}
		}
	}
	for _, c := range f.pools {
		if len(c.p.Exports) == 0 || c.p.Name == "" {
			continue
		}
		if pkg := f.plan.Package; pkg != "main" && pkg != "" {
			c.fail(codeCombination, c.at("exports"), "write package: main, and func main() {} in a Go file of its directory",
				"exports needs package main, of which go build -buildmode=c-shared makes a library, and the output is package %s", pkg)
		}
		if slices.ContainsFunc([]byte(c.p.Name), func(b byte) bool { return b >= 0x80 }) {
			c.fail(codeName, c.nameNode, "use letters from a to z and digits", "with exports, the name is part of names of C, which has no other letters than a to z")
			continue
		}
		for _, verb := range ExportVerbs {
			name := CName(c.p.Name, verb)
			if other := views[name]; other != nil {
				c.collides(other, "it collides with pool "+quote(other.p.Name)+": both would declare "+name+" in C")
				break
			}
			if who := takenInC[name]; who != "" {
				c.fail(codeCollision, c.nameNode, "give the pool another name", "it would declare %s in C, which is a name of %s", name, who)
				break
			}
		}
	}
}
