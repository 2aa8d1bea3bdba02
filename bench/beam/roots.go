package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// A Root is a source of shaders: a folder, an archive, the files of one shader, or a list of these.
// A worker reads the lines of a list that begin in a byte range.
type Root struct {
	Name     string
	List     bool
	From, To int64
}

// listPiece is the number of bytes of a list that one worker reads.
const listPiece = 1 << 20

// roots returns the roots that the arguments name, with lists split into pieces.
func roots(args []string) (all []Root, err error) {
	args = slices.Clone(args)
	slices.Sort(args)
	for _, arg := range slices.Compact(args) {
		list, is := strings.CutPrefix(arg, "@")
		if !is {
			all = append(all, Root{Name: arg})
			continue
		}
		info, err := os.Stat(list)
		if err != nil {
			return nil, err
		}
		for from := int64(0); from < info.Size(); from += listPiece {
			all = append(all, Root{list, true, from, from + listPiece})
		}
	}
	return all, nil
}

// expand passes the shaders of a root to found.
func (r Root) expand(found finder) error {
	if !r.List {
		return expand(r.Name, found)
	}
	f, err := os.Open(r.Name)
	if err != nil {
		return err
	}
	defer f.Close()
	// Start one byte earlier: the line that contains or ends at this byte belongs to the previous
	// piece.
	at := max(r.From-1, 0)
	if _, err := f.Seek(at, io.SeekStart); err != nil {
		return err
	}
	for from := bufio.NewReader(f); at < r.To; {
		line, err := from.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		begins := at >= r.From
		at += int64(len(line))
		if name := strings.TrimSpace(line); begins && name != "" && !strings.HasPrefix(name, "#") {
			if err := expand(name, found); err != nil {
				return err
			}
		}
		if err != nil {
			break
		}
	}
	return nil
}

// noted is a shader found, as written to a spool. Sorting puts shaders with the same content next
// to each other.
type noted struct {
	Key string
	Shader
}

// buckets is the number of parts into which the shaders are divided by content, and thus the
// maximum number of busy workers.
const buckets = 512

// expander finds the shaders of roots, and records them.
type expander struct{ Report string }

func init() {
	register.DoFn3x1[context.Context, Root, func(int, string), error](&expander{})
	register.Emitter2[int, string]()
}

// ProcessElement emits files with shaders, keyed by their bucket.
func (e *expander) ProcessElement(ctx context.Context, r Root, emit func(int, string)) error {
	notes := spool{folder: e.Report + lineFolder + "/found", name: hash(fmt.Sprint(r)), emit: emit, limit: spoolLimit}
	err := r.expand(func(key string, s Shader) error {
		line, err := json.Marshal(noted{key, s})
		if err != nil {
			return err
		}
		bits, err := strconv.ParseUint(key[:4], 16, 16)
		if err != nil {
			return err
		}
		return notes.add(ctx, int(bits%buckets), string(line))
	})
	if err != nil {
		return err
	}
	return notes.flush(ctx)
}
