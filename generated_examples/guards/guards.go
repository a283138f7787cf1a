// Package guards is a server with a mistake that guarded blocks find: it uses a session after its free.
package guards

import (
	"runtime/debug"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// Session is what the server knows of a user.
type Session struct {
	User     uint64
	Requests uint64
}

// Server has the sessions of all users.
type Server struct {
	pool   SessionPool
	byUser map[uint64]*Session
	last   *Session // that of the latest request
}

// Login begins the session of a user.
func (s *Server) Login(user uint64) error {
	session, err := s.pool.Alloc()
	if err != nil {
		return err
	}
	*session = Session{User: user}
	if s.byUser == nil {
		s.byUser = map[uint64]*Session{}
	}
	s.byUser[user] = session
	return nil
}

// Request counts a request of a user.
func (s *Server) Request(user uint64) {
	s.last = s.byUser[user]
	s.last.Requests++
}

// Logout ends the session of a user. It forgets that last may be that session.
func (s *Server) Logout(user uint64) error {
	session := s.byUser[user]
	delete(s.byUser, user)
	return s.pool.Free(session)
}

// Retry counts the latest request once more.
func (s *Server) Retry() { s.last.Requests++ }

// Serve calls f, and returns the report if f uses a guarded block that is free, or an address beyond one. Any other panic goes on.
func Serve(f func()) (report error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			if report = poolrt.Fault(r); report == nil {
				panic(r)
			}
		}
	}()
	f()
	return nil
}
