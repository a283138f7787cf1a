//go:build !pooldebug && !pooltrace

package poolimpl

import poolrt "github.com/poolgen/poolgen/runtime"

// siteTable stays empty in programs that do not know who calls.
type siteTable struct{ list []poolrt.Site }
