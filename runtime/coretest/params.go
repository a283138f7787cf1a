package coretest

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// variable has parameters as JSON.
const variable = "POOLGEN_TEST_PARAMS"

// Main runs the tests of a suballocator with parameters: those of the environment, or the usual ones, which params has. derive computes what depends on them.
func Main[P any](m *testing.M, params *P, derive func()) {
	if text := os.Getenv(variable); text != "" {
		*params = *new(P)
		if err := json.Unmarshal([]byte(text), params); err != nil {
			panic(err)
		}
	}
	derive()
	os.Exit(m.Run())
}

// Others runs the tests of the package again, for [Main], with each of some other parameters.
func Others[P any](t *testing.T, others []P) {
	t.Helper()
	if os.Getenv(variable) != "" || testing.Short() {
		t.Skip("runs the tests again")
	}
	for _, p := range others {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.count=1")
		cmd.Env = append(os.Environ(), variable+"="+string(text))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", text, err, out)
		}
	}
}
