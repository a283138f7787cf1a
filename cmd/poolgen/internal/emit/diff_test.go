package emit

import (
	"bytes"
	"fmt"
	"math/rand"
	"os/exec"
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

// TestPatchApplies gives patches of all kinds to git and to patch, which are the judges of what a valid patch is.
func TestPatchApplies(t *testing.T) {
	for name, args := range map[string][]string{"git": {"apply", "--unidiff-zero", "-"}, "patch": {"-p1", "--quiet"}} {
		t.Run(name, func(t *testing.T) {
			program, err := exec.LookPath(name)
			if err != nil {
				t.Skip(name + " is not installed")
			}
			random := rand.New(rand.NewSource(1))
			for i := range 60 {
				old := text(random, random.Intn(40))
				change := Change{"f.txt", Stale, []byte(old), []byte(mutate(random, old))}
				switch i % 10 {
				case 8:
					change.Kind, change.Old = Missing, nil
				case 9:
					change.Kind, change.New = Orphaned, nil
				}
				if !bytes.Equal(change.Old, change.New) {
					applies(t, change, []string{"f.txt", "a directory/f.txt", "dösig/f.txt"}[i%3], program, args...)
				}
			}
		})
	}
}

// applies has a program apply the patch of a change at a path.
func applies(t *testing.T, change Change, path, program string, args ...string) {
	t.Helper()
	dir := t.TempDir()
	if change.Kind != Missing {
		write(t, dir, path, change.Old)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	patch := string(Patch(path, change))
	cmd.Stdin = strings.NewReader(patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\npatch:\n%s", err, out, patch)
	}
	if got := tree(t, dir)[path]; got != string(change.New) {
		t.Fatalf("got %q, want %q\npatch:\n%s", got, change.New, patch)
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
