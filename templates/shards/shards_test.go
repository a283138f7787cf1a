package shards

import "github.com/poolgen/poolgen/runtime"

var (
	_ runtime.SharedCore  = (*Core)(nil)
	_ runtime.ParkingCore = (*Core)(nil)
	_ runtime.SharingCore = (*Core)(nil)
)
