package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// mistakes is the folder of pool files with mistakes, seen from this one.
const mistakes = "../../../../tests/mistakes"

// usual is what follows where a mistake runs no command itself.
const usual = `
poolgen generate
code 1
cmp stderr want
`

// TestMistakes runs the mistakes of tests/mistakes.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(mistakes, "*.txtar"))
	if err != nil || len(files) < 60 {
		t.Fatalf("%d mistakes, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			s := newScript(t, file, "scene")
			comment := string(s.archive.Comment)
			if !strings.Contains(comment, "\npoolgen ") {
				comment += usual
			}
			s.run(comment)
		})
	}
}
