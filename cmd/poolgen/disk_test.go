//go:build linux

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/poolgen/poolgen/tests/fatal"
)

// pools is a pool file whose output takes a few dozen KiB.
const pools = "version: 1\npackage: p\ndefaults: {limit: %s}\npools:\n  - {name: Vertex, item: uint32}\n  - {name: Text, suballocator: binned}\n"

// output returns the files of a directory.
func output(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	fatal.If(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		fatal.If(t, err)
		files[e.Name()] = string(text)
	}
	return files
}

// command runs the test's own program as poolgen, in a directory.
func command(dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "NO_COLOR=1", asCommand+"=1")
	diag := new(bytes.Buffer)
	cmd.Stderr = diag
	return cmd, diag
}

// TestReadOnlyDirectory generates as a user who may not write to the output directory.
func TestReadOnlyDirectory(t *testing.T) {
	dir := t.TempDir()
	write := func(limit string) {
		fatal.If(t, os.WriteFile(filepath.Join(dir, "poolgen.yaml"), fmt.Appendf(nil, pools, limit), 0o644))
	}
	write("1GiB")
	if cmd, diag := command(dir, "generate"); cmd.Run() != nil {
		t.Fatal(diag)
	}
	write("2GiB")
	before := output(t, dir)
	cmd, diag := command(dir, "generate")
	if os.Getuid() == 0 { // permissions do not restrict root
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		for path := dir; len(path) > len(os.TempDir()); path = filepath.Dir(path) {
			fatal.If(t, os.Chmod(path, 0o755))
		}
		program := filepath.Join(t.TempDir(), "poolgen") // the directory of the test's own program may not be readable for that user
		for path := filepath.Dir(program); len(path) > len(os.TempDir()); path = filepath.Dir(path) {
			_ = os.Chmod(path, 0o755)
		}
		text, err := os.ReadFile(os.Args[0])
		if err == nil {
			err = os.WriteFile(program, text, 0o755)
		}
		fatal.If(t, err)
		cmd.Path = program
	} else {
		fatal.If(t, os.Chmod(dir, 0o555))
		defer os.Chmod(dir, 0o755)
	}
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Skip(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(diag.String(), "permission denied") {
		t.Errorf("exit code %d\n%s", code, diag)
	}
	if after := output(t, dir); !maps.Equal(after, before) {
		t.Error("the output has changed")
	}
}

// onSmallDisk is a script that mounts a file system of 512 KiB, fills all but $1 KiB of it, and generates there.
const onSmallDisk = `
mount -t tmpfs -o size=512k,nr_inodes=1000 none "$2" || exit 99
cp "$3"/* "$2" && cd "$2" || exit 98
cp new.yaml poolgen.yaml && rm new.yaml
free=$(df -k --output=avail . | tail -1)
[ "$free" -gt "$1" ] && head -c $(( (free - $1) * 1024 )) /dev/zero >filler
"$0" generate; code=$?
rm -f filler; cp -a . "$4"
exit $code
`

// TestFullDisk generates on disks with more and more room, until the room suffices. Until then the old output must remain unchanged.
func TestFullDisk(t *testing.T) {
	old := t.TempDir()
	for name, limit := range map[string]string{"poolgen.yaml": "1GiB", "new.yaml": "2GiB"} {
		fatal.If(t, os.WriteFile(filepath.Join(old, name), fmt.Appendf(nil, pools, limit), 0o644))
	}
	if cmd, diag := command(old, "generate"); cmd.Run() != nil {
		t.Fatal(diag)
	}
	before := output(t, old)
	before["poolgen.yaml"] = before["new.yaml"]
	delete(before, "new.yaml")
	refused := 0
	for room := 0; room <= 480; room += 24 {
		after := t.TempDir()
		cmd, diag := command("", "-c", onSmallDisk, os.Args[0], fmt.Sprint(room), t.TempDir(), old, after)
		cmd.Path, cmd.Args[0] = "/bin/sh", "sh"
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
		err := cmd.Run()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() >= 98 {
			t.Skipf("no file system of its own: %v %s", err, diag)
		}
		now := output(t, after)
		if err == nil {
			if now["vertex_pool.go"] == before["vertex_pool.go"] || len(now) != len(before) || refused == 0 {
				t.Errorf("%d KiB of room: %d files", room, len(now))
			}
			return
		}
		refused++
		if !strings.Contains(diag.String(), "no space left on device") || !maps.Equal(now, before) {
			t.Fatalf("%d KiB of room: %v: %s; %d files, were %d", room, err, diag, len(now), len(before))
		}
	}
	t.Error("there was never enough room")
}
