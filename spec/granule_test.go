package spec

import "testing"

// A heap counts a block in at most 2^32-1 granules. So many hold any block that fits the limit and, without a limit, one of almost 64 GiB.
func TestGranulesHoldTheLimit(t *testing.T) {
	const most = 1<<32 - 1
	for _, sub := range []string{"heap", "binned", "classes"} {
		for _, limit := range []string{"8MiB", "64GiB", "65GiB", "1TiB", "100TiB", "4000TiB"} {
			p := onlyPool(t, "suballocator: "+sub+"; limit: "+limit)
			if rest := p.Limit - most*p.Granule(); rest >= p.Granularity {
				t.Errorf("%s: with limit %s, blocks are %d bytes below it", sub, limit, rest)
			}
			if raised := onlyPool(t, "suballocator: "+sub+"; limit: 8MiB; max_limit: "+limit); raised.Granule() != p.Granule() {
				t.Errorf("%s: granule %d with max_limit %s, %d with that limit", sub, raised.Granule(), limit, p.Granule())
			}
			if unbound := onlyPool(t, "suballocator: "+sub+"; max_limit: none; limit: "+limit); unbound.Granule() != p.Granule() {
				t.Errorf("%s: granule %d with limit %s and max_limit none, %d with that limit", sub, unbound.Granule(), limit, p.Granule())
			}
		}
		if p := onlyPool(t, "suballocator: "+sub); p.Granule() != 16 {
			t.Errorf("%s: granule %d without a limit", sub, p.Granule())
		}
	}
}

// The handles of Windows are for output that is built there. Without a known system, they are accepted.
func TestHandlesFitTheSystem(t *testing.T) {
	doc, _ := Load("poolgen.yaml", []byte(poolFile("item: int32; allocator: device_pool; driver_pool: {source: custom, handles: win32}")))
	for system, refused := range map[string]bool{"": false, "windows": false, "linux": true} {
		if _, found := doc.Validate(Env{Dir: "pools", GOOS: system}); (len(found) > 0) != refused {
			t.Errorf("GOOS %q: %s", system, found.Text(false))
		}
	}
}
