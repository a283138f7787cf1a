package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

const versionLong = `Print which poolgen this is: the version of its module, the revision of its source if it
was built from a repository, and the Go release and platform it was built with.`

// version describes this program.
type version struct {
	Version  string `json:"version"`            // of the module; devel if it was built from a directory
	Revision string `json:"revision,omitempty"` // of the repository
	Modified bool   `json:"modified"`           // the source differed from the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (p *Process) versionCommand() *cobra.Command {
	var format *format
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of poolgen",
		Long:    versionLong,
		Example: "  poolgen version --json",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			v := versionOf(p.Build)
			if format.value == jsonFormat {
				return json.NewEncoder(p.Stdout).Encode(v)
			}
			fmt.Fprintln(p.Stdout, v)
			return nil
		},
	}
	format = formatFlag(cmd, "the output", textFormat, jsonFormat)
	return cmd
}

// devel is the version of a program that was built from a directory.
const devel = "devel"

func versionOf(build *debug.BuildInfo) version {
	v := version{Version: devel, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if build == nil {
		return v
	}
	module := build.Main
	if module.Replace != nil { // replaced by a directory, which has no version, or by another module
		module = *module.Replace
	}
	if module.Version != "" && module.Version != "(devel)" {
		v.Version = module.Version
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// String is the version on one line.
func (v version) String() string {
	text := "poolgen " + v.Version
	if v.Revision != "" {
		text += " revision " + v.Revision
	}
	if v.Modified {
		text += " (modified)"
	}
	return text + " " + v.Go + " " + v.Platform
}

// pseudo matches the versions that Go makes of commits.
var pseudo = regexp.MustCompile(`-[0-9.]*[0-9]{14}-([0-9a-f]{12})$`)

// ref names the source of this program in its repository: a tag, a commit, or the branch main where neither is known.
func (v version) ref() string {
	version, _, changed := strings.Cut(v.Version, "+")
	commit := pseudo.FindStringSubmatch(version)
	switch {
	case v.Modified || changed:
		return "main"
	case v.Revision != "":
		return v.Revision
	case commit != nil:
		return commit[1]
	case version == devel:
		return "main"
	}
	return version
}

// stamp is the version as generated files carry it. A poolgen built in a repository has a new version
// with every commit. Such versions share one stamp, because the output must not change with each
// commit.
func (v version) stamp() string {
	if v.Revision != "" || strings.Contains(v.Version, "+") {
		return devel
	}
	return v.Version
}
