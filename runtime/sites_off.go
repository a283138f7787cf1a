//go:build !pooldebug && !pooltrace

package runtime

// siteTable stays empty in programs that do not know who calls.
type siteTable struct{ list []Site }
