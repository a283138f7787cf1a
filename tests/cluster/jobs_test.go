package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"

	"github.com/poolgen/poolgen/tests/fatal"
)

const page = "../../docs/cluster.md"

// block returns the block of the page that begins with a line.
func block(t *testing.T, first string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	fatal.If(t, err)
	_, found, ok := strings.Cut(string(text), "\n"+first+"\n")
	found, _, ended := strings.Cut(found, "\n```")
	if !ok || !ended {
		t.Fatalf("%s has no block that begins with %s", page, first)
	}
	return first + "\n" + found + "\n"
}

func TestKubernetesJob(t *testing.T) {
	text := block(t, "apiVersion: batch/v1")
	var job batchv1.Job
	fatal.If(t, yaml.UnmarshalStrict([]byte(text), &job))
	spec := job.Spec
	if job.Kind != "Job" || spec.CompletionMode == nil || *spec.CompletionMode != batchv1.IndexedCompletion || spec.Completions == nil {
		t.Fatalf("not an indexed job: %+v", spec)
	}
	container := spec.Template.Spec.Containers[0]
	if len(container.Command) != 3 || container.Command[0] != "sh" {
		t.Fatalf("command %q", container.Command)
	}
	if mounted := container.VolumeMounts[0]; mounted.Name != spec.Template.Spec.Volumes[0].Name || mounted.MountPath != container.WorkingDir {
		t.Errorf("the volume is at %s, and the command runs in %s", mounted.MountPath, container.WorkingDir)
	}
	tries(t, container.Command[2], "JOB_COMPLETION_INDEX", int(*spec.Completions))
}

func TestSlurmScript(t *testing.T) {
	script := block(t, "#!/bin/bash")
	var jobs int
	if _, after, ok := strings.Cut(script, "--array=0-"); !ok {
		t.Fatal("no array")
	} else if _, err := fmt.Sscan(strings.Fields(after)[0], &jobs); err != nil {
		t.Fatal(err)
	}
	tries(t, script, "SLURM_ARRAY_TASK_ID", jobs+1)
}

// The rounds follow each other, and the result follows them. Here, sbatch prints its arguments.
func TestSlurmRounds(t *testing.T) {
	dir, script := t.TempDir(), block(t, "mkdir -p out")
	command(t, dir, "sbatch", `echo "$@" >>log; wc -l <log`)
	if out, err := shell(dir, script); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	fatal.If(t, err)
	want := "--parsable round.sh\n--parsable --dependency=afterok:1 round.sh\n--parsable --dependency=afterok:2 round.sh\n" +
		"--dependency=afterok:3 --wrap poolgen tune --trace run.csv.gz --known 'out/*.jsonl'\n"
	if string(log) != want {
		t.Errorf("got\n%swant\n%s", log, want)
	}
}

// tries runs a job's script as each of its parts. poolgen takes all flags, and then misses the trace.
func tries(t *testing.T, script, index string, jobs int) {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", dir, "github.com/poolgen/poolgen/cmd/poolgen").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for i := range jobs {
		if out, _ := shell(dir, fmt.Sprintf("%s=%d\n%s", index, i, script)); !strings.HasPrefix(out, "poolgen: open ") || !strings.Contains(out, "run.csv.gz") {
			t.Errorf("part %d: %s", i, out)
		}
	}
	if out, _ := shell(dir, fmt.Sprintf("%s=%d\n%s", index, jobs, script)); !strings.Contains(out, "is no shard") {
		t.Errorf("%d parts, but one more is taken, too: %s", jobs, out)
	}
}

// command writes a program into a directory.
func command(t *testing.T, dir, name, script string) {
	t.Helper()
	fatal.If(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

// shell runs a script in a directory with programs.
func shell(dir, script string) (string, error) {
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}
