package blocks

import (
	"go/types"
	"slices"
	"strings"
)

// lookers are functions of the standard library that do not retain their arguments; "*" stands for all functions of a package. The walk does not
// enter the library.
var lookers = map[string][]string{
	"fmt":             {"Print", "Println", "Printf", "Fprint", "Fprintln", "Fprintf", "Sprint", "Sprintln", "Sprintf", "Errorf", "Sscan", "Sscanf"},
	"log":             {"Print", "Println", "Printf"},
	"testing":         {"Log", "Logf", "Error", "Errorf", "Helper"},
	"bufio":           {"Read", "Write"},
	"bytes":           {"Equal", "Compare", "Contains", "Index", "IndexByte", "HasPrefix", "HasSuffix", "Count", "Read", "Write"},
	"encoding/binary": {"PutUint16", "PutUint32", "PutUint64", "Uint16", "Uint32", "Uint64", "PutUvarint", "PutVarint", "Uvarint", "Varint", "Read", "Write"},
	"errors":          {"Is", "As", "New", "Join", "Unwrap"},
	"encoding/json":   {"Marshal", "Unmarshal"},
	"io":              {"Read", "ReadAt", "ReadAtLeast", "ReadFull", "Write", "WriteAt"},
	"os":              {"Read", "ReadAt", "Write", "WriteAt"},
	"math/rand":       {"Read"},
	"crypto/rand":     {"Read"},
	"sort":            {"Slice", "SliceStable", "SearchInts"},
	"slices":          {"Sort", "SortFunc", "SortStableFunc", "Reverse", "Equal", "Contains", "Index", "Max", "Min", "Fill", "BinarySearch"},
	"strings":         {"*"},
	"strconv":         {"*"},
	"math":            {"*"},
	"time":            {"Now", "Since", "Sub"},
}

// onlyLooks reports whether a function of the standard library retains nothing and waits for nothing.
func onlyLooks(fn *types.Func) bool {
	names := lookers[fn.Pkg().Path()]
	return slices.Contains(names, fn.Name()) || slices.Contains(names, "*")
}

// tellers are functions that print for people. What other functions make of a number, such as text or bytes, may name the block to other code.
var tellers = map[string][]string{"fmt": {"Print", "Println", "Printf", "Errorf"}, "log": {"*"}, "testing": {"*"}}

// tells reports whether a function of the standard library prints for people.
func tells(fn *types.Func) bool {
	names := tellers[fn.Pkg().Path()]
	return slices.Contains(names, fn.Name()) || slices.Contains(names, "*")
}

// enders are functions that do not return.
var enders = map[string]string{
	"os": "Exit", "runtime": "Goexit", "log": "Fatal Fatalf Fatalln Panic Panicf Panicln",
	"testing": "Fatal Fatalf FailNow Skip Skipf SkipNow",
}

// neverReturns reports whether a function of the standard library does not return.
func neverReturns(fn *types.Func) bool {
	return slices.Contains(strings.Fields(enders[fn.Pkg().Path()]), fn.Name())
}
