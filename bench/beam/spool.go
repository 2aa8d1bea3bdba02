package main

import (
	"bufio"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// A spool sorts lines by bin and writes them to files when it holds many, for [merge] to read
// together. Runners keep grouped values in memory, so the pipeline only groups names of files. A
// retried bundle writes the same names and lines.
type spool struct {
	folder, name string            // directory and prefix of the files
	emit         func(int, string) // receives each file, keyed by its bin
	limit        int               // maximum number of bytes held

	lines map[int][]string
	held  int
	times int
}

// spoolLimit is the number of bytes that a spool holds before it writes them.
const spoolLimit = 8 << 20

// add adds a line, without its newline, to a bin.
func (s *spool) add(ctx context.Context, bin int, line string) error {
	if s.lines == nil {
		s.lines = map[int][]string{}
	}
	s.lines[bin] = append(s.lines[bin], line)
	if s.held += len(line); s.held < s.limit {
		return nil
	}
	return s.flush(ctx)
}

// flush writes the lines held.
func (s *spool) flush(ctx context.Context) error {
	for _, bin := range slices.Sorted(maps.Keys(s.lines)) {
		lines := s.lines[bin]
		slices.Sort(lines)
		path := fmt.Sprintf("%s-%05d/%s-%d", s.folder, bin, s.name, s.times)
		if err := writeFile(ctx, path, []byte(strings.Join(lines, "\n")+"\n")); err != nil {
			return err
		}
		s.emit(bin, path)
	}
	s.lines, s.held = nil, 0
	s.times++
	return nil
}

// merge passes the lines of sorted files, with their newlines, to take in order, without
// duplicates.
func merge(ctx context.Context, paths []string, take func(line string) error) error {
	if len(paths) == 0 {
		return nil
	}
	files, err := filesystem.New(ctx, paths[0])
	if err != nil {
		return err
	}
	defer files.Close()
	var open runs
	defer func() {
		for _, r := range open {
			r.Close()
		}
	}()
	for _, path := range paths {
		f, err := files.OpenRead(ctx, path)
		if err != nil {
			return err
		}
		r := &sorted{Closer: f, from: bufio.NewReader(f)}
		open = append(open, r)
		if err := r.next(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	last := ""
	for heap.Init(&open); len(open) > 0; {
		r := open[0]
		if r.line != last {
			last = r.line
			if err := take(last); err != nil {
				return err
			}
		}
		switch err := r.next(); {
		case errors.Is(err, io.EOF):
			r.Close()
			heap.Pop(&open)
		case err != nil:
			return err
		default:
			heap.Fix(&open, 0)
		}
	}
	return nil
}

// sorted is a file being merged, with its current line.
type sorted struct {
	io.Closer
	from *bufio.Reader
	line string
}

func (s *sorted) next() (err error) {
	s.line, err = s.from.ReadString('\n')
	return err
}

// runs is a heap of the files that are not at their end, ordered by line.
type runs []*sorted

func (r runs) Len() int           { return len(r) }
func (r runs) Less(i, j int) bool { return r[i].line < r[j].line }
func (r runs) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *runs) Push(any)          { panic("no file is added") }
func (r *runs) Pop() any {
	last := len(*r) - 1
	s := (*r)[last]
	*r = (*r)[:last]
	return s
}
