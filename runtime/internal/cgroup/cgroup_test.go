package cgroup

import (
	"reflect"
	"testing"
	"testing/fstest"
	"time"
)

// system makes the files of a system.
func system(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	return m
}

const (
	mount2 = "31 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate"
	mount1 = "36 32 0:31 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory"
)

// Each case is a system as it is met: what is mounted, the group of the process, the files, and what holds.
func TestLevels(t *testing.T) {
	for name, c := range map[string]struct {
		mounts, own string
		files       map[string]string
		want        []Level
	}{
		"a service of systemd": {mount2, "0::/app.slice/my.service", map[string]string{
			"sys/fs/cgroup/app.slice/my.service/memory.max":     "1000",
			"sys/fs/cgroup/app.slice/my.service/memory.high":    "900",
			"sys/fs/cgroup/app.slice/my.service/memory.current": "500",
			"sys/fs/cgroup/app.slice/my.service/memory.stat":    "anon 300\ninactive_file 150\nactive_file 50",
			"sys/fs/cgroup/app.slice/memory.max":                "4000",
			"sys/fs/cgroup/app.slice/memory.high":               "max",
			"sys/fs/cgroup/app.slice/memory.current":            "3900",
		}, []Level{{900, 350}, {4000, 3900}}},
		"a container": {mount2, "0::/", map[string]string{
			"sys/fs/cgroup/memory.max": "1000", "sys/fs/cgroup/memory.current": "500",
		}, []Level{{1000, 500}}},
		"a container that sees the path of its host": {mount2, "0::/../elsewhere", map[string]string{
			"sys/fs/cgroup/memory.max": "1000", "sys/fs/cgroup/memory.current": "500",
		}, []Level{{1000, 500}}},
		"a mount of a part": {"31 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw", "0::/docker/abc/sub", map[string]string{
			"sys/fs/cgroup/sub/memory.max": "1000", "sys/fs/cgroup/sub/memory.current": "500",
		}, []Level{{1000, 500}}},
		"version 1": {mount1, "5:cpu:/x\n4:hugetlb,memory:/jobs/1\n0::/", map[string]string{
			"sys/fs/cgroup/memory/jobs/1/memory.limit_in_bytes": "1000",
			"sys/fs/cgroup/memory/jobs/1/memory.usage_in_bytes": "700",
			"sys/fs/cgroup/memory/jobs/1/memory.stat":           "inactive_file 1\ntotal_inactive_file 200",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":        "9223372036854771712",
			"sys/fs/cgroup/memory/memory.usage_in_bytes":        "5000",
		}, []Level{{1000, 500}}},
		"both, of which version 2 has no memory": {"40 1 0:2 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" + mount1, "4:memory:/a\n0::/b", map[string]string{
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1000",
			"sys/fs/cgroup/memory/a/memory.usage_in_bytes": "700",
		}, []Level{{1000, 700}}},
		"no limit":   {mount2, "0::/", map[string]string{"sys/fs/cgroup/memory.max": "max", "sys/fs/cgroup/memory.current": "500"}, nil},
		"no usage":   {mount2, "0::/", map[string]string{"sys/fs/cgroup/memory.max": "1000"}, nil},
		"no numbers": {mount2, "0::/", map[string]string{"sys/fs/cgroup/memory.max": "lots", "sys/fs/cgroup/memory.current": "x"}, nil},
		"nothing":    {"", "", nil, nil},
		"odd lines":  {"x - y\n - \n1 2 3", "a:b\n::", nil, nil},
	} {
		files := system(c.files)
		for file, text := range map[string]string{"proc/self/mountinfo": c.mounts, "proc/self/cgroup": c.own} {
			files[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := Find(files).Levels(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := Find(fstest.MapFS{}).Levels(); got != nil {
		t.Errorf("without files: %v", got)
	}
}

// How long processes have waited for memory is read from the group of the process.
func TestStalled(t *testing.T) {
	files := system(map[string]string{
		"proc/self/mountinfo": mount2, "proc/self/cgroup": "0::/a",
		"sys/fs/cgroup/a/memory.max": "1000", "sys/fs/cgroup/a/memory.current": "500",
		"sys/fs/cgroup/a/memory.pressure": "some avg10=0.12 avg60=0.00 avg300=0.00 total=1500\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7",
	})
	if got := Find(files).Stalled(); got != 1500*time.Microsecond {
		t.Errorf("stalled for %v", got)
	}
	delete(files, "sys/fs/cgroup/a/memory.pressure")
	if got := Find(files).Stalled() + Find(fstest.MapFS{}).Stalled(); got != 0 {
		t.Errorf("without the file: %v", got)
	}
}
