package emit

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestPatchText(t *testing.T) {
	old := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n"
	now := "a\nb\nc\nd\nE\nf\ng\nh\ni\nj\nk\nl"
	want := `--- a/x/y.go
+++ b/x/y.go
@@ -2,10 +2,11 @@
 b
 c
 d
-e
+E
 f
 g
 h
 i
 j
 k
+l
\ No newline at end of file
`
	got := string(Patch("x/y.go", Change{"y.go", Stale, []byte(old), []byte(now)}))
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if p := Patch("y.go", Change{"y.go", Unchanged, []byte(old), []byte(old)}); p != nil {
		t.Errorf("an unchanged file gives the patch %q", p)
	}
}

// TestPatchApplies gives patches of all kinds to git, which is the judge of what a valid patch is.
func TestPatchApplies(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	random := rand.New(rand.NewSource(1))
	for i := range 60 {
		old := text(random, random.Intn(40))
		now := mutate(random, old)
		change := Change{"f.txt", Stale, []byte(old), []byte(now)}
		switch i % 10 {
		case 8:
			change.Kind, change.Old, old = Missing, nil, ""
		case 9:
			change.Kind, change.New, now = Orphaned, nil, ""
		}
		if string(change.Old) == string(change.New) {
			continue
		}
		dir := t.TempDir()
		if change.Kind != Missing {
			must(t, os.WriteFile(filepath.Join(dir, "f.txt"), change.Old, 0o644))
		}
		cmd := exec.Command(git, "apply", "--unidiff-zero", "-")
		cmd.Dir = dir
		patch := string(Patch("f.txt", change))
		cmd.Stdin = strings.NewReader(patch)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\npatch:\n%s", err, out, patch)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "f.txt")); string(got) != now {
			t.Fatalf("got %q, want %q\npatch:\n%s", got, now, patch)
		}
	}
}

func text(random *rand.Rand, lines int) string {
	var b strings.Builder
	for range lines {
		fmt.Fprintf(&b, "line %d\n", random.Intn(30)) // some of them equal
	}
	if random.Intn(3) == 0 {
		b.WriteString("without an end")
	}
	return b.String()
}

func mutate(random *rand.Rand, s string) string {
	lines := strings.SplitAfter(s, "\n")
	for range 1 + random.Intn(4) {
		i := random.Intn(len(lines))
		switch random.Intn(3) {
		case 0:
			lines[i] = "changed\n"
		case 1:
			lines[i] = ""
		case 2:
			lines[i] = "inserted\n" + lines[i]
		}
	}
	return strings.Join(lines, "")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
