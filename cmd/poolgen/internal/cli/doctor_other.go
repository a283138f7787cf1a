//go:build !linux

package cli

// addressSpace returns 0: there is no driver on this system.
func addressSpace() int64 { return 0 }

// processor returns nothing: only Linux is asked.
func processor() processorHealth { return processorHealth{} }
