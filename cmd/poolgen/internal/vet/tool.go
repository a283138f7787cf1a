package vet

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"
)

// IsTool reports whether the arguments are those with which go vet calls its tool.
func IsTool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg")
}

// Tool acts as the tool of go vet, by the arguments of the process, and exits.
func Tool() {
	list := Analyzers()
	if unit, text, ok := readUnit(os.Args[len(os.Args)-1]); ok && unit.VetxOnly {
		switch {
		case unit.ModulePath == "" && unit.Module == nil:
			list = nil // the standard library: only its types are needed, and package blocks has a table of its functions
		case slices.Contains(os.Args, "-json"):
			os.Args[len(os.Args)-1] = inFull(os.Args[len(os.Args)-1], text)
		}
	}
	unitchecker.Main(list...)
}

// unit has the required fields of the file that describes a package.
type unit struct {
	VetxOnly   bool                   // the package is a dependency: its findings are not wanted
	ModulePath string                 // until Go 1.27; "" for the standard library
	Module     *struct{ Path string } // since then
}

func readUnit(file string) (u unit, text []byte, ok bool) {
	if !strings.HasSuffix(file, ".cfg") {
		return u, nil, false
	}
	text, err := os.ReadFile(file)
	return u, text, err == nil && json.Unmarshal(text, &u) == nil // unitchecker reports the error
}

// inFull returns the name of a file that requests the findings of a dependency, too. The go command, 1.26 at least, caches the output for a package
// regardless of whether findings were requested: for a package that was first vetted as a dependency, they would be missing when it is named later.
// poolgen vet, which requests JSON, selects the findings of the packages that were named.
func inFull(file string, text []byte) string {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return file
	}
	all["VetxOnly"] = json.RawMessage("false")
	text, err := json.Marshal(all)
	if err != nil {
		return file
	}
	full := strings.TrimSuffix(file, ".cfg") + ".full.cfg"
	if err := os.WriteFile(full, text, 0o600); err != nil {
		return file
	}
	return full
}
