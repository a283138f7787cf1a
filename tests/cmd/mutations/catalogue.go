package main

// catalogue returns all faults.
func catalogue() []fault {
	var all []fault
	for _, g := range []struct {
		tests  string // the tests that must find the faults, unless a fault names others
		faults []fault
	}{
		{"-short ./templates/fixed", fixedFaults},
		{"-short ./runtime/poolimpl/cores/fixed", fixedColdFaults},
		{"./runtime/poolimpl/cores/heap", heapFaults},
		{"./runtime/poolimpl/cores/binned", binnedFaults},
		{"./runtime/poolimpl/cores/classes", classesFaults},
		{"-short ./runtime/poolimpl/cores/ring", ringFaults},
		{"-short ./runtime/poolimpl/cores/bump ./runtime/poolimpl/cores/strips", bumpFaults},
		{"-short ./runtime/poolimpl/cores/direct", directFaults},
		{"-short ./templates/strict ./runtime/poolimpl/cores/strict", strictFaults},
		{"-short ./runtime/poolimpl/cores/slabs ./runtime/poolimpl/cores/shards", sharedFaults},
		{"-short ./runtime/poolimpl", runtimeFaults},
		{"-short ./runtime/poolimpl", orderFaults},
		{"", scheduleFaults},
		{explored("strictOwned"), strictSchedules},
		{explored("strictOwned"), ownerSchedules},
		{explored("strictTrims"), trimsSchedules},
		{explored("strictMagazines"), magazineSchedules},
		{explored("strictStreams"), streamSchedules},
		{explored("slabs"), slabsSchedules},
		{explored("slabsStreams"), slabsStreamSchedules},
		{explored("shards"), shardsSchedules},
		{explored("strips"), stripsSchedules},
		{explored("ChunkMap"), chunkMapSchedules},
		{explored("Bitmap"), bitmapSchedules},
		{"-short ./cmd/poolgen/internal/emit ./cmd/poolgen/internal/cli", commandFaults},
	} {
		for _, f := range g.faults {
			if f.tests == "" {
				f.tests = g.tests
			}
			all = append(all, f)
		}
	}
	return all
}
