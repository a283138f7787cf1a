package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"strconv"

	"example.com/vet/pools"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// What happens to a block when something fails.

func errorOfFreeIsJoined(r io.Reader) (n int, err error) {
	b, err := pools.AllocText(4096)
	if err != nil {
		return 0, fmt.Errorf("buffer: %w", err)
	}
	defer func() { err = errors.Join(err, pools.FreeText(b)) }()
	for {
		m, err := r.Read(b)
		n += m
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("after %d bytes: %w", n, err)
		}
	}
}

func errorOfReadLeavesBlock(r io.Reader) (string, error) {
	b, err := pools.AllocText(16)
	if err != nil {
		return "", fmt.Errorf("header: %w", err)
	}
	if _, err := io.ReadFull(r, b); err != nil {
		return "", fmt.Errorf("header: %w", err) // WRONG leak: the block is not freed
	}
	text := string(b)
	if err := pools.FreeText(b); err != nil {
		return "", err
	}
	return text, nil
}

func secondFailureFreesFirst(key, value string) (k, v []byte, err error) {
	k, err = pools.AllocText(len(key))
	if err != nil {
		return nil, nil, err
	}
	v, err = pools.AllocLine(len(value))
	if err != nil {
		return nil, nil, errors.Join(err, pools.FreeText(k))
	}
	copy(k, key)
	copy(v, value)
	return k, v, nil
}

func secondFailureForgetsFirst(key, value string) (int, error) {
	k, err := pools.AllocText(len(key))
	if err != nil {
		return 0, err
	}
	v, err := pools.AllocLine(len(value))
	if err != nil {
		return 0, err // WRONG leak: the block of the key is not freed
	}
	n := copy(k, key) + copy(v, value)
	return n, errors.Join(pools.FreeText(k), pools.FreeLine(v))
}

func gotoCleansUp(data []byte) error {
	var config struct{ X, Y, Z float32 }
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	if err = json.Unmarshal(data, &config); err != nil {
		goto done
	}
	*v = config
	if err = check(v); err != nil {
		goto done
	}
	log.Printf("length %v", length(v))
done:
	return errors.Join(err, pools.FreeVertex(v))
}

func continueSkipsTheFree(fields []string) (total float32, err error) {
	for _, field := range fields {
		v, err := pools.AllocVertex()
		if err != nil {
			return 0, err
		}
		x, err := strconv.ParseFloat(field, 32)
		if err != nil {
			log.Printf("%q: %v", field, err)
			continue // WRONG leak: the block of a bad field is not freed
		}
		*v = pools.Vertex{X: float32(x)}
		total += length(v)
		if err := pools.FreeVertex(v); err != nil {
			return 0, err
		}
	}
	return total, nil
}

func limitIsTriedAgainAfterTrim(n int) ([]byte, error) {
	b, err := pools.AllocText(n)
	if errors.Is(err, poolrt.ErrLimit) {
		if _, err := pools.DefaultLinePool().Trim(0); err != nil {
			return nil, err
		}
		b, err = pools.AllocText(n)
	}
	if err != nil {
		log.Print(poolrt.Explain(err))
		return nil, err
	}
	clear(b)
	return b, nil
}

func errorOfFreeIsDropped(w io.Writer, title string) error {
	b, err := pools.AllocLine(len(title) + 4)
	if err != nil {
		return err
	}
	n := copy(b, "== ")
	n += copy(b[n:], title)
	b[n] = '\n'
	_, err = w.Write(b)
	pools.FreeLine(b) // WRONG dropped: the error of the free is lost
	return err
}

func fatalErrorNeedsNoFree(name string) *pools.Vertex {
	v, err := pools.AllocCorner()
	if err != nil {
		log.Fatal(err)
	}
	x, err := strconv.ParseFloat(name, 32)
	if err != nil {
		log.Fatalf("%q is not a number: %v", name, err)
	}
	v.X = float32(x)
	if err := check(v); err != nil {
		panic(err)
	}
	return v
}

func errorFreesAndGoesOn(data []byte) error {
	v, err := pools.AllocVertex()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		log.Printf("bad vertex: %v", err)
		if err := pools.FreeVertex(v); err != nil {
			return err
		}
	}
	log.Printf("%d bytes read", len(data))
	return pools.FreeVertex(v) // WRONG double: bad data has freed the block
}
