#include <stdint.h>

typedef struct allocator {
	void *(*take)(unsigned long);
	void (*give)(void *);
} allocator;

typedef struct step {
	uint32_t slot, size;
} step;

// block is what a worker holds of a live block: as much as a slice of Go. With many live blocks, much of the time goes into the list of them.
typedef struct block {
	void *at;
	unsigned long length, capacity;
} block;

// churner is one worker's load.
typedef struct churner {
	allocator a;
	step *steps;
	long count, at, live;
	block *blocks; // nil before the first round: each worker allocates its first blocks itself
} churner;

// mailbox hands blocks from one worker to another.
typedef struct mailbox mailbox;

// sender allocates blocks, of one size if there are no steps, and sends them on; it frees the blocks that it receives.
typedef struct sender {
	churner c;
	mailbox *in, *out;
} sender;

int find(const char *library, const char *take, const char *give, allocator *a);
long pairs(allocator a, long size, long n);
long churn(churner *c, long n);
void end_churn(churner *c);
mailbox *new_mailbox(void);
long send_on(sender *s, long size, long n);
void end_send(sender *s);
