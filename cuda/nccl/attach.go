package nccl

import "sync"

// attached are the pools whose chunks a rank knows.
type attached struct{ mu sync.Mutex }

func (c *Comm) detachAll() error { return nil }
