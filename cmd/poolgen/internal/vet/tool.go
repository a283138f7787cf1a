package vet

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"
)

// IsTool reports whether arguments are those with which go vet calls its tool.
func IsTool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg")
}

// Tool does what go vet asks its tool for, by the arguments of the process, and ends it.
func Tool() {
	list := Analyzers()
	if unit, text, ok := readUnit(os.Args[len(os.Args)-1]); ok && unit.VetxOnly {
		switch {
		case unit.ModulePath == "" && unit.Module == nil:
			list = nil // the standard library: its types alone are wanted, and blocks knows what it must of its functions
		case slices.Contains(os.Args, "-json"):
			os.Args[len(os.Args)-1] = inFull(os.Args[len(os.Args)-1], text)
		}
	}
	unitchecker.Main(list...)
}

// unit is what has to be known of the file that tells of a package.
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
	return u, text, err == nil && json.Unmarshal(text, &u) == nil // what is wrong, unitchecker tells
}

// inFull returns the name of a file that asks for the findings of a dependency, too. The go command, 1.26 at least, keeps what it printed for a package without
// regard to whether findings were wanted: those of one that was a dependency at first would be missing when it is named itself. poolgen vet, which is what asks for
// JSON, picks those of the packages that it was asked about.
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
