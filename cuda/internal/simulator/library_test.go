package simulator

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// The simulator has the functions that package native looks for in the driver's library, under the names that programs ask for.
func TestFunctionsAreThoseOfTheDriver(t *testing.T) {
	text, err := os.ReadFile("../native/functions.h")
	if err != nil {
		t.Fatal(err)
	}
	others := []string{"cuDeviceGetUuid2", "cuStreamGetCaptureInfo3", "cuGraphNodeGetDependencies2"} // versions of the functions without the number
	var want []string
	for _, m := range regexp.MustCompile(`F\((cu\w+), "(\w+)"`).FindAllSubmatch(text, -1) {
		if name := string(m[1]); !slices.Contains(others, name) {
			want = append(want, name)
		}
	}
	for _, f := range want {
		if !slices.Contains(functions, f) {
			t.Errorf("the simulator has no %s", f)
		}
	}
	for _, f := range functions {
		if !slices.Contains(want, f) {
			t.Errorf("package native does not look for %s", f)
		}
	}
}
