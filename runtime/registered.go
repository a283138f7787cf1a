package poolrt

// Registered is a pool whose chunks a library may know: one with registered: true in its pool file. Pass it to Attach of package nccl.
type Registered interface {
	// RegisteredPool returns the pool as the packages of this module know it.
	RegisteredPool() any
}
