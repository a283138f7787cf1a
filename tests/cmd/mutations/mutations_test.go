package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Each fault of the catalogue still fits its file.
func TestCatalogueFits(t *testing.T) {
	names := map[string]bool{}
	for _, f := range catalogue() {
		if names[f.name] {
			t.Errorf("%s: twice", f.name)
		}
		names[f.name] = true
		if _, err := f.text(os.DirFS("../../..")); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		if f.old == f.new || f.tests == "" {
			t.Errorf("%s changes nothing, or nothing is to find it", f.name)
		}
	}
}

// A fault is found, and a change that is not a fault is not.
func TestPlant(t *testing.T) {
	t.Chdir("../../..")
	overlay := filepath.Join(t.TempDir(), "overlay")
	f := fault{file: "internal/inturn/inturn.go", tests: "./internal/inturn", old: "if len(list) > 0 {", new: "if len(list) > 1 {"}
	if by, err := f.plant(os.DirFS("."), overlay); err != nil || by == "" {
		t.Errorf("planted fault: %q, %v", by, err)
	}
	f.new = "if 0 < len(list) {"
	if by, err := f.plant(os.DirFS("."), overlay); err != nil || by != "" {
		t.Errorf("no fault: %q, %v", by, err)
	}
	f.new = "if list {"
	if by, err := f.plant(os.DirFS("."), overlay); err == nil {
		t.Errorf("fault that does not compile: %q", by)
	}
}
