package spec

// minLease is the least that a process takes of a budget which others share, and usualLease what it takes if the pool file does not say.
const (
	minLease   = 1 << 20
	usualLease = 64 << 20
)

// fileKeys are the keys at the top of a pool file, and those of a budget.
var fileKeys = []Key{
	{Section: FileSection, Name: "version", Kind: NumberKind, Min: 1, Max: 1, Example: "1",
		Doc: "Version of the language. Required."},
	{Section: FileSection, Name: "package", Kind: NameKind, Default: "the package already in the directory, else the directory's name", Example: "scene",
		Doc: "Go package of the generated files."},
	{Section: FileSection, Name: "output", Kind: TextKind, Default: ".", Example: "./scene",
		Doc: "Directory of the generated files, relative to the pool file and within its directory."},
	{Section: FileSection, Name: "build_tags", Kind: TextKind, Default: "none", Example: `"cuda && !windows"`,
		Doc: "Condition on which the generated Go files are built, as a go:build line has it."},
	{Section: FileSection, Name: "imports", Kind: MixedKind, Example: "{mesh: example.com/app/mesh}",
		Doc: "Packages that item types come from: a qualifier and an import path for each."},
	{Section: FileSection, Name: "defaults", Kind: MixedKind, Example: "{concurrency: mutex}",
		Doc: "Values for every pool of the file that does not set the key itself. A key that does not apply to a pool is skipped there."},
	{Section: FileSection, Name: "budgets", Kind: ListKind, Example: "[{name: Scene, limit: 2GiB}]",
		Doc: "Hard limits that several pools share."},
	{Section: FileSection, Name: "pools", Kind: ListKind, Example: "[{name: Vertex, item: mesh.Vertex}]",
		Doc: "The pools. Required, at least one."},

	{Section: BudgetSection, Name: "name", Kind: NameKind, Example: "Scene",
		Doc: "A Go identifier. Required."},
	{Section: BudgetSection, Name: "limit", Kind: SizeKind, Min: 1, Example: "2GiB",
		Doc: "Bytes that the pools of the budget may reserve together. Required."},
	{Section: BudgetSection, Name: "scope", Kind: ChoiceKind, Values: names(ScopeProcess, ScopeHost), Default: "process", Example: "host",
		Doc: "Whose pools share the budget: those of each process by itself, or those of all processes of the user that have a budget of this name. host is for Linux."},
	{Section: BudgetSection, Name: "lease", Kind: SizeKind, Min: minLease, Default: "64MiB, or limit if that is less", Example: "256MiB",
		Doc: "Bytes of the limit that a process takes at a time, with scope: host, and may leave unused."},
}

// nestedKeys are the keys inside the values of other keys.
var nestedKeys = []Key{
	{Section: BinsSection, Name: "min", Kind: SizeKind, Min: 1, Max: maxBlock, Example: "16B", Doc: "Smallest bin. Required."},
	{Section: BinsSection, Name: "max", Kind: SizeKind, Min: 1, Max: maxBlock, Example: "4KiB", Doc: "Largest bin. Required."},
	{Section: BinsSection, Name: "growth", Kind: ChoiceKind, Values: []string{"pow2", "1.25", "1.5"}, Default: "pow2", Example: "1.25",
		Doc: "Factor from one bin to the next. Each is rounded up to a multiple of 16 bytes, and of the alignment."},
	{Section: BinsSection, Name: "per_doubling", Kind: NumberKind, Min: 1, Max: 16, Example: "4",
		Doc: "In place of growth: the bins from each power of two to the next, at equal distances, the power itself included. With 4, these are 1KiB, 1280B, 1536B and 1792B."},

	{Section: CacheSection, Name: "per_bin", Kind: NumberKind, None: true, Max: 1 << 31, Default: "none", Example: "64",
		Doc: "Freed blocks kept for one size class."},
	{Section: CacheSection, Name: "bytes", Kind: SizeKind, None: true, Default: "none", Example: "64MiB",
		Doc: "Freed bytes kept for all classes together."},

	{Section: DriverPoolSection, Name: "source", Kind: ChoiceKind, Values: []string{"default", "custom"}, Default: "custom for device_pool, default for device_async", Example: "custom",
		Doc: "The default memory pool of the device, or one created for this pool."},
	{Section: DriverPoolSection, Name: "type", Kind: ChoiceKind, Values: []string{"pinned", "managed"}, Default: "pinned", Example: "pinned",
		Doc: "Kind of memory of a pool that is created."},
	{Section: DriverPoolSection, Name: "location", Kind: ChoiceKind, Values: []string{"device", "host", "host_numa"}, Default: "device", Example: "device",
		Doc: "Where the memory of a pool that is created lies."},
	{Section: DriverPoolSection, Name: "numa", Kind: NumberKind, Max: 1023, Example: "0",
		Doc: "Number of the NUMA node, for location host_numa, which requires it."},
	{Section: DriverPoolSection, Name: "release_threshold", Kind: SizeKind, Default: "0 in a pool that is created, else as it is", Example: "64MiB", None: true,
		Doc: "Bytes that the driver keeps, instead of returning them to the system, when it synchronises."},
	{Section: DriverPoolSection, Name: "max_size", Kind: SizeKind, Min: 1, None: true, Default: "none", Example: "4GiB",
		Doc: "Most bytes a pool that is created may take from the device."},
	{Section: DriverPoolSection, Name: "handles", Kind: ChoiceKind, Values: []string{"none", "fd", "win32", "fabric"}, Default: "none, fd when shareable", Example: "fd",
		Doc: "How the memory of a pool that is created can be exported to other processes."},
	{Section: DriverPoolSection, Name: "reuse", Kind: BlockKind, Example: "{opportunistic: false}",
		Doc: "Which ways of reusing freed memory the driver may take."},
	{Section: DriverPoolSection, Name: "set_current", Kind: BoolKind, Default: "false", Example: "true",
		Doc: "Makes the pool the device's current one, so that allocations by others come from it too."},

	{Section: ReuseSection, Name: "follow_events", Kind: BoolKind, Default: "true in a pool that is created, else as it is", Example: "false",
		Doc: "Reuse across streams along event dependencies."},
	{Section: ReuseSection, Name: "opportunistic", Kind: BoolKind, Default: "true in a pool that is created, else as it is", Example: "false",
		Doc: "Reuse of memory whose work turns out to be finished: faster, but different from run to run."},
	{Section: ReuseSection, Name: "internal", Kind: BoolKind, Default: "true in a pool that is created, else as it is", Example: "false",
		Doc: "Reuse by dependencies that the driver inserts between streams."},

	{Section: TrimSection, Name: "keep", Kind: SizeKind, Default: "0", Example: "64MiB",
		Doc: "Bytes that stay reserved when empty chunks are returned."},
	{Section: TrimSection, Name: "idle", Kind: DurationKind, Default: "0s", Example: "30s",
		Doc: "How long a chunk must have been empty."},
	{Section: TrimSection, Name: "when", Kind: ChoiceKind, Default: "free", Example: "growth", Values: names(TrimOnFree, TrimOnGrowth),
		Doc: "When empty chunks are returned."},

	{Section: GuardSection, Name: "one_in", Kind: NumberKind, Min: 1, Max: maxGuardOneIn, Example: "5000",
		Doc: "One block in so many is guarded, in the mean. 1: each one. Required."},
	{Section: SleepSection, Name: "contents", Kind: ChoiceKind, Default: "keep", Example: "discard", Values: names(SleepKeep, SleepDiscard),
		Doc: "What live blocks hold after Wake."},
	{Section: SleepSection, Name: "backing", Kind: ChoiceKind, Default: "keep", Example: "release", Values: names(BackingKeep, BackingRelease, BackingStaged),
		Doc: "The memory of the host that holds these bytes, and what becomes of it."},
	{Section: SleepSection, Name: "batch", Kind: SizeKind, Min: 2 << 20, Default: "64MiB", Example: "16MiB",
		Doc: "Bytes that are copied between two looks at the context and at errors; with backing: staged, the size of each of the two buffers."},
	{Section: SleepSection, Name: "budget", Kind: NameKind, Example: "Scene",
		Doc: "The budget that the memory of the host counts against."},
	{Section: SleepSection, Name: "prime", Kind: BoolKind, Default: "false", Example: "true",
		Doc: "Memory of the host for all pages within the limit is obtained when the pool is opened, instead of in the first sleep. Needs a limit."},
}
