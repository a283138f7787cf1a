package tune

import (
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// Candidate is the settings of a pool: a value for each of [keys], "" for the language's default.
type Candidate [numKeys]string

// The settings that are searched, in their order in a pool file.
const (
	Allocator = iota
	Suballocator
	Fit
	BlockSize
	ChunkSize
	Growth
	Bins
	Cache
	MinSplit
	Trim
	numKeys
)

var keys = [numKeys]string{"allocator", "suballocator", "fit", "block_size", "chunk_size", "growth", "bins", "cache", "min_split", "trim"}

// with returns the candidate with another value of a setting.
func (c Candidate) with(key int, value string) Candidate {
	c[key] = value
	return c
}

// YAML returns the candidate as an entry of the list of pools.
func (c Candidate) YAML(name string) string {
	text := "  - name: " + name + "\n"
	for i, value := range c {
		if value != "" {
			text += fmt.Sprintf("    %s: %s\n", keys[i], value)
		}
	}
	return text
}

// PoolFile returns a pool file with the candidate alone.
func (c Candidate) PoolFile() string {
	return "# Traces do not know the pool's name, limit, concurrency or adapters: put in yours.\nversion: 1\npools:\n" + c.YAML("Tuned")
}

// legal reports whether the candidate is a legal pool.
func (c Candidate) legal() bool {
	doc, found := spec.Load("tuned.yaml", []byte(c.PoolFile()))
	if doc == nil || len(found) > 0 {
		return false
	}
	_, found = doc.Validate(spec.Env{Dir: "tuned"})
	return len(found) == 0
}

// String lists what the candidate sets.
func (c Candidate) String() string {
	var words []string
	for i, value := range c {
		switch {
		case value == "":
		case i == Allocator, i == Suballocator:
			words = append(words, value)
		default:
			words = append(words, keys[i]+" "+value)
		}
	}
	return strings.Join(words, ", ")
}

// settings counts the settings that are not the default. Of two equally good candidates, the one with fewer settings is better.
func (c Candidate) settings() (n int) {
	usual := Default("")
	for key, value := range c {
		if value != usual[key] {
			n++
		}
	}
	return n
}
