// Package staging shows a ring pool: buffers that live briefly and come back about in the order in which they were handed out.
package staging
