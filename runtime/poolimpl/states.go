package poolimpl

// The states of a byte of a pool, and what takes it from one to the next. "e.mu" is the lock of the pool, "core" that of the suballocator: e.mu, or one of its own if
// goroutines call it without e.mu; "queue" is that of a [StreamQueue]. A source or driver is called with no lock: the byte is in neither state to anybody else.
//
//	none        -> claimed     limits.claim, limits.claimExactly; DriverBlocks.claim         e.mu; atomic
//	claimed     -> none        Engine.withClaim, if the source fails; DriverBlocks.unclaim   e.mu; atomic
//	claimed     -> free        chunked.add, paged.memoryCame; first Engine.fetch             e.mu
//	claimed     -> live        Engine.addDirect; DriverBlocks.insert                         e.mu; a part of the table
//	free        -> live        Engine.allocCore, or the fast path of the output              core
//	live        -> free        Engine.freeBlock, or the fast path of the output              core
//	free        -> cached      the core itself, for a class or a processor                   core
//	cached      -> free        chunked.flush, paged.flush, Engine.allocOrGrow                core
//	live        -> pending     onStreams.deferBlock, Engine.Defer                            queue, core
//	pending     -> live        onStreams.reuse, streams.LockReuse                            queue, core
//	pending     -> free        onStreams.reclaimEpochs: the stream has passed the fence      queue, core
//	pending     -> in flight   streams.reclaimEarly: free to the core, not to other streams  e.mu, queue
//	in flight   -> live        onStreams.allocInFlight: the stream waits                     e.mu
//	in flight   -> free        onStreams.passedMark                                          e.mu
//	live        -> shared      Engine.hold: another process may use it                       e.mu
//	shared      -> live        hold.end                                                      e.mu
//	live        -> asleep      paged.fallAsleep: the address stays, the memory goes          e.mu
//	asleep      -> live        paged.wake                                                    e.mu
//	free        -> private     GraphMemory.addChunk, for the blocks of a graph               e.mu
//	private     -> releasing   Engine.returnPrivate                                          e.mu
//	private     -> free        Engine.takeBackSpares                                         e.mu
//	free        -> releasing   chunked.remove, paged.remove, chunked.evict                   e.mu
//	releasing   -> none        Engine.release: the source has taken it                       e.mu
//	releasing   -> free        chunked.insert, paged.insert: the source has refused          e.mu
//	releasing   -> unreturned  direct.owe: the core has no use for it                        e.mu
//	unreturned  -> none        Engine.retryUnreturned, DriverBlocks.retryUnused              e.mu
