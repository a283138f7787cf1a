package main

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// own leaves SQLite its own malloc, for a comparison with the benchmark. A process has one malloc, so it takes two runs.
var own = flag.Bool("own", false, "leave SQLite its own malloc")

func TestMain(m *testing.M) {
	flag.Parse()
	if !*own {
		if err := useMemory(); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func opened(tb testing.TB) *sql.DB {
	tb.Helper()
	db, err := open()
	if err != nil {
		tb.Fatal(err)
	}
	return db
}

func count(t *testing.T, db *sql.DB) (rows int) {
	t.Helper()
	if err := db.QueryRow("select count(*) from notes").Scan(&rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// All memory of a database is of the pool, and comes back.
func TestMemory(t *testing.T) {
	pool := DefaultMemoryPool()
	before := pool.Stats().LiveBytes
	db := opened(t)
	rows, err := fill(db, 10000)
	if err != nil || count(t, db) != rows {
		t.Fatalf("%d of %d rows, %v", count(t, db), rows, err)
	}
	if live := pool.Stats().LiveBytes - before; live < 1<<20 {
		t.Errorf("%d bytes of the pool are live", live)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if left := pool.Stats().LiveBytes - before; left > 64<<10 {
		t.Errorf("%d bytes are live after the database is closed", left)
	}
}

// At the limit a statement fails; the rows before it are there, and a higher limit has room for more.
func TestLimit(t *testing.T) {
	db := opened(t)
	rows, err := fill(db, 1<<30)
	if err == nil || !strings.Contains(err.Error(), "out of memory") {
		t.Fatalf("%d rows: %v", rows, err)
	}
	s := DefaultMemoryPool().Stats()
	if s.Reserved > s.Limit || s.Reserved < s.Limit*3/4 {
		t.Errorf("%d bytes are reserved, the limit is %d", s.Reserved, s.Limit)
	}
	if got := count(t, db); got != rows {
		t.Errorf("%d rows, want %d", got, rows)
	}
	if err := DefaultMemoryPool().SetLimit(2 * s.Limit); err != nil {
		t.Fatal(err)
	}
	if more, err := fill(db, rows/2); err != nil || count(t, db) != rows+more {
		t.Errorf("above the old limit: %d rows and %d, %v", rows, more, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := DefaultMemoryPool().SetLimit(s.Limit); err != nil {
		t.Fatal(err)
	}
}

// resident returns the bytes of memory that the process has, as Linux says.
func resident(b *testing.B) (pages int) {
	text, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(text), new(int), &pages)
	}
	if err != nil {
		b.Skip(err)
	}
	return pages * os.Getpagesize()
}

// BenchmarkFill inserts 50,000 rows. With -own, SQLite has its own malloc.
func BenchmarkFill(b *testing.B) {
	const rows = 50000
	before := resident(b)
	for b.Loop() {
		db := opened(b)
		if _, err := fill(db, rows); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(resident(b)-before)/1e6, "MB")
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}
