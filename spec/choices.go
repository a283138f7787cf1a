package spec

// The legal values of the enumerated keys, spelt as in pool files.
type (
	Allocator   string
	Growth      string
	Fit         string
	Concurrency string
	Ordering    string
	Zero        string
	StatsMode   string
	RungKind    string
	TrimTime    string
	DeviceKind  string
	ReclaimWay  string
	Scope       string // of a budget: whose pools share it

	// AcrossStreams says when a stream is given memory that another one freed and has not passed.
	AcrossStreams string

	// DeviceView says what kernels do inside a view.
	DeviceView string

	// SleepContents says whether live blocks have their bytes after the pool has woken, and SleepBacking what becomes of the memory of the host for them.
	SleepContents string
	SleepBacking  string

	// Capture says what stream calls do on a stream whose work is being captured.
	Capture string
)

const (
	Host          Allocator = "host"
	Pinned        Allocator = "pinned"
	Managed       Allocator = "managed"
	DeviceMemory  Allocator = "device"
	DeviceAsync   Allocator = "device_async"
	DevicePool    Allocator = "device_pool"
	DeviceVirtual Allocator = "device_virtual"
	TextureTile   Allocator = "texture_tile"
	NoAllocator   Allocator = "none"
	Custom        Allocator = "custom"

	GrowthFixed  Growth = "fixed"
	GrowthDouble Growth = "double"

	FitFirst Fit = "first"
	FitBest  Fit = "best"
	FitGood  Fit = "good"

	Unlocked Concurrency = "none"
	Mutex    Concurrency = "mutex"
	Sharded  Concurrency = "sharded"

	Sync     Ordering = "sync"
	Stream   Ordering = "stream"
	Deferred Ordering = "deferred"
	ByDriver Ordering = "driver"

	ZeroNever  Zero = "never"
	ZeroFirst  Zero = "first"
	ZeroAlways Zero = "always"

	StatsOff      StatsMode = "off"
	StatsCounters StatsMode = "counters"

	TrimOnFree   TrimTime = "free"
	TrimOnGrowth TrimTime = "growth"

	SleepKeep    SleepContents = "keep"
	SleepDiscard SleepContents = "discard"

	BackingKeep    SleepBacking = "keep"
	BackingRelease SleepBacking = "release"
	BackingStaged  SleepBacking = "staged"

	CaptureRefuse  Capture = "refuse"
	CapturePrivate Capture = "private"

	NoView    DeviceView = "" // written false
	BumpView  DeviceView = "bump"
	FixedView DeviceView = "fixed"

	AcrossLimit  AcrossStreams = "limit"
	AcrossPeak   AcrossStreams = "peak"
	AcrossGrowth AcrossStreams = "growth"

	ScopeProcess Scope = "process"
	ScopeHost    Scope = "host"

	ReclaimTrim  ReclaimWay = "trim"
	ReclaimHook  ReclaimWay = "hook"
	ReclaimSleep ReclaimWay = "sleep"

	CurrentDevice  DeviceKind = "current"
	NumberedDevice DeviceKind = "number" // written as the number itself
	EachDevice     DeviceKind = "each"

	WherePossible = "where_possible" // peers

	RungPoll   RungKind = "poll"
	RungTrim   RungKind = "trim"
	RungDrain  RungKind = "drain"
	RungWait   RungKind = "wait"
	RungDriver RungKind = "driver"
	RungPool   RungKind = "pool"
	RungError  RungKind = "error"
)
