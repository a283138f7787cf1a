package newcomer

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/tempmod"
)

// startRelay starts a module proxy that serves the working tree as the only version of poolgen, and forwards all other requests to the proxy at
// upstream.
func startRelay(t *testing.T, upstream *url.URL) string {
	t.Helper()
	root := tempmod.Root(t)
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	fatal.If(t, err)
	content, version := zipped(t, root)
	info := []byte(`{"Version":"` + version + `","Time":"2026-01-01T00:00:00Z"}`)
	module := "/" + tempmod.Path + "/@"
	files := map[string][]byte{
		module + "latest":                 info,
		module + "v/list":                 nil,
		module + "v/" + version + ".info": info,
		module + "v/" + version + ".mod":  gomod,
		module + "v/" + version + ".zip":  content,
	}
	others := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(upstream) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch content, ok := files[r.URL.Path]; {
		case ok:
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		case strings.HasPrefix(r.URL.Path, "/"+tempmod.Path+"/"): // a package of poolgen, which is not a module
			http.NotFound(w, r)
		default:
			others.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// zipped returns the module in the directory root in the form that module proxies serve: without nested modules, and here without names that begin
// with a dot. The version is derived from the content, because the go command expects that a version never changes.
func zipped(t *testing.T, root string) (content []byte, version string) {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || name == root:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") || isModule(name)):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err == nil {
			files[filepath.ToSlash(rel)], err = os.ReadFile(name)
		}
		return err
	})
	fatal.If(t, err)
	names := slices.Sorted(maps.Keys(files))
	sum := sha256.New()
	for _, name := range names {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(files[name]), files[name])
	}
	version = fmt.Sprintf("v0.0.0-20260101000000-%x", sum.Sum(nil)[:6])
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		file, err := w.Create(tempmod.Path + "@" + version + "/" + name)
		if err == nil {
			_, err = file.Write(files[name])
		}
		fatal.If(t, err)
	}
	fatal.If(t, w.Close())
	return out.Bytes(), version
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}
