// Command sqlite fills a database in memory until the pool of SQLite is at its limit.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"os"

	_ "modernc.org/sqlite"
)

func main() {
	if err := run(); err != nil {
		log.Print(err)
		os.Exit(1)
	}
}

func run() error {
	if err := useMemory(); err != nil {
		return err
	}
	db, err := open()
	if err != nil {
		return err
	}
	rows, err := fill(db, 1<<30)
	fmt.Printf("%d rows, then: %v\n", rows, err)
	s := DefaultMemoryPool().Stats()
	fmt.Printf("live %d KiB in %d blocks, reserved %d KiB, limit %d KiB\n", s.LiveBytes>>10, s.Live, s.Reserved>>10, s.Limit>>10)
	return db.Close()
}

// open returns a database in memory with a table of texts. All statements use one connection, as each has a database of its own.
func open() (*sql.DB, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec("create table notes (id integer primary key, text text); create index texts on notes (text)")
	return db, err
}

// fill inserts up to n rows, and returns how many there was room for.
func fill(db *sql.DB, n int) (rows int, err error) {
	insert, err := db.Prepare("insert into notes (text) values (?)")
	if err != nil {
		return 0, err
	}
	for ; rows < n; rows++ {
		if _, err = insert.Exec(fmt.Sprintf("note %d, and some words that tell it from the others", rows*7919%1_000_003)); err != nil {
			return rows, err
		}
	}
	return rows, insert.Close()
}
