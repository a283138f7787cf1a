package smoke

import "unsafe"

func unsafeAdd(p unsafe.Pointer, n int) unsafe.Pointer { return unsafe.Add(p, n) }
