package fake

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Again runs one test, in a process of its own that has the variables, and not a test whose name begins alike.
func TestAgainRunsOneTest(t *testing.T) {
	const variable = "POOLGEN_TEST_LOG"
	log := os.Getenv(variable)
	first := log == "" // this is not the process of a test that is run again
	if first {
		log = filepath.Join(t.TempDir(), "log")
	}
	if Inside(t) {
		t.Error("the test is inside for one of its subtests")
	}
	for _, name := range []string{"one", "one_more"} {
		t.Run(name, func(t *testing.T) {
			if first {
				Again(t, variable+"="+log)
				return
			}
			before, _ := os.ReadFile(log) // there is none before the first
			if err := os.WriteFile(log, fmt.Appendf(before, "%s %v\n", name, Inside(t)), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
	if got, err := os.ReadFile(log); first && string(got) != "one true\none_more true\n" {
		t.Errorf("%q has run, %v", got, err)
	}
}

// The library is made of its source with the switches.
func TestLibraryHasTheSwitches(t *testing.T) {
	source := filepath.Join(t.TempDir(), "answer.c")
	if err := os.WriteFile(source, []byte("int NAME(void) { return 42; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(Library(t, source, "-DNAME=poolgen_answer"))
	if err != nil || !bytes.Contains(text, []byte("poolgen_answer")) {
		t.Errorf("the library has no function poolgen_answer: %v", err)
	}
}
