package spec

import "testing"

// A package has a variable for its pools if it has two of its own: only then must nothing else be called Pools.
func TestNameOfTheGroup(t *testing.T) {
	const hand, text = "package scene\n\ntype Pools int\n", "version: 1\npools: "
	for _, test := range []struct {
		file, hand string
		own        int
		want       []string
	}{
		{text + "[{name: A}, {name: B}]\n", "", 2, nil},
		{text + "[{name: A}]\n", hand, 1, nil},
		{text + "[{name: A, item: Pools}]\n", hand, 1, nil},
		{text + "[{name: A}, {name: B, package_functions: false}]\n", hand, 1, nil},
		{text + "[{name: A, package_functions: false}, {name: B, package_functions: false}]\n", hand, 0, nil},
		{text + "[{name: A}, {name: B, package_functions: false}, {name: C}]\n", hand, 2, []string{"2:64: PG024: pool \"C\": with this pool the package gets a variable Pools"}},
		{text + "[{name: A, suballocator: heap, on_exhausted: [pool:B, error]}, {name: B, suballocator: heap, package_functions: false}]\n", hand, 2,
			[]string{"2:78: PG024: pool \"B\": with this pool the package gets a variable Pools"}},
		{text + "[{name: A, item: '[2]Pools'}, {name: B}]\n", hand, 2, []string{"2:16: PG023: pool \"A\": the package gets a variable Pools, which is the name of the item type"}},
		{text + "[{name: A, item: Pools, package_functions: false}, {name: B}, {name: C}]\n", "", 2, []string{"2:16: PG023: pool \"A\": the package gets"}},
		{text + "[{name: A, item: int8}, {name: B, allocator: custom, alloc: Pools, free: give}]\n", "", 2, []string{"2:39: PG023: pool \"B\": the package gets a variable Pools, which is the name of the pool's function"}},
		{"version: 1\nimports: {Pools: a/b}\npools: [{name: A, item: Pools.T}, {name: B}]\n", "", 2, []string{"3:42: PG023: pool \"B\": with this pool the package gets a variable Pools, which is the name of an import"}},
	} {
		plan, found := check(t, test.file, test.hand)
		compare(t, found, test.want)
		if plan != nil && len(plan.OwnPools()) != test.own {
			t.Errorf("%s: %d pools of its own, want %d", test.file, len(plan.OwnPools()), test.own)
		}
	}
}
