package harness

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"time"
)

// request is sent to a process that has peers. It begins a case, runs a turn of it, or ends it.
type request struct {
	Peer int
	Work *Work         // to begin with
	Span time.Duration // of a turn; 0: the end
}

// reply is the answer to a request. The first one comes without a request and has the names of the peers.
type reply struct {
	Names []string
	NS    float64
	Err   string
}

// Serve measures peers for another process, until that process closes in.
func Serve(in io.Reader, out io.Writer, peers []Peer) error {
	var hello reply
	for _, p := range peers {
		hello.Names = append(hello.Names, p.Name)
	}
	replies, requests := json.NewEncoder(out), json.NewDecoder(in)
	if err := replies.Encode(hello); err != nil {
		return err
	}
	at := make([]*subject, len(peers))
	for {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var answer reply
		var err error
		switch {
		case r.Work != nil:
			runtime.GOMAXPROCS(r.Work.Threads)
			at[r.Peer], err = peers[r.Peer].subject(*r.Work)
		case r.Span > 0:
			answer.NS, err = at[r.Peer].turn(r.Span)
		default:
			err = at[r.Peer].end()
		}
		if err != nil {
			answer.Err = err.Error()
		}
		if err := replies.Encode(answer); err != nil {
			return err
		}
	}
}

// Remote starts a program that calls Serve, and returns its peers. The program ends when the caller closes the returned closer.
func Remote(path string) (peers []Peer, closing io.Closer, err error) {
	cmd := exec.Command(path)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	c := conversation{json.NewEncoder(in), json.NewDecoder(out)}
	var hello reply
	if err := c.replies.Decode(&hello); err != nil {
		_ = in.Close()
		return nil, nil, fmt.Errorf("%s does not answer: %w", path, cmp.Or(cmd.Wait(), err))
	}
	for i, name := range hello.Names {
		peers = append(peers, Peer{Name: name, start: func(w Work) (*subject, error) { return c.start(i, w) }})
	}
	return peers, closer(func() error { return errors.Join(in.Close(), cmd.Wait()) }), nil
}

type closer func() error

func (c closer) Close() error { return c() }

// conversation is the connection to a process that calls Serve.
type conversation struct {
	requests *json.Encoder
	replies  *json.Decoder
}

func (c conversation) ask(r request) (float64, error) {
	if err := c.requests.Encode(r); err != nil {
		return 0, err
	}
	var answer reply
	if err := c.replies.Decode(&answer); err != nil {
		return 0, fmt.Errorf("the other process has ended: %w", err)
	}
	if answer.Err != "" {
		return 0, errors.New(answer.Err)
	}
	return answer.NS, nil
}

// start begins a case with a peer of the other process.
func (c conversation) start(peer int, w Work) (*subject, error) {
	_, err := c.ask(request{Peer: peer, Work: &w})
	return &subject{
		turn: func(span time.Duration) (float64, error) { return c.ask(request{Peer: peer, Span: span}) },
		end: func() error {
			_, err := c.ask(request{Peer: peer})
			return err
		},
	}, err
}
