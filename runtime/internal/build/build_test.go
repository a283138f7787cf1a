package build

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// The constants say what the go command has recorded in the program.
func TestConstantsAreThoseOfTheBuild(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the program has no build information")
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if want := slices.Contains(strings.Split(set["-tags"], ","), "pooldebug"); Debug != want {
		t.Errorf("Debug is %v with the tags %q", Debug, set["-tags"])
	}
	if want := set["-race"] == "true"; Race != want {
		t.Errorf("Race is %v with -race=%s", Race, set["-race"])
	}
}
