package poolimpl

// Versions of generated code that this package serves. Each package of pools compares its own with them when it is compiled, and where it is
// outside, the name in the compiler's message says what to run.
const (
	// OldestOutput is raised when this package cannot serve older output any more: that has to be generated again.
	OldestOutput = 2
	// NewestOutput is raised when output needs what earlier versions of this package have not: those have to be updated.
	NewestOutput = 2
)
