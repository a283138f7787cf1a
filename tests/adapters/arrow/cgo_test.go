//go:build cgo

package arrow

import "github.com/apache/arrow-go/v18/arrow/memory/mallocator"

func init() { references = append(references, reference{"c", mallocator.NewMallocator()}) }
