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

// A spool sorts lines by bin and writes them to files whenever it holds many, for [merge] to read
// together: runners keep what they group in memory, so what is grouped are names of files. A file has
// the same name and lines whenever its bundle is tried again.
type spool struct {
	folder, name string            // files are below and begin like these
	emit         func(int, string) // takes each by its bin
	limit        int               // bytes that are held

	lines map[int][]string
	held  int
	times int
}

// spoolLimit is what spools hold before they write it away.
const spoolLimit = 8 << 20

// add has a line, without its end, go into a bin.
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

// flush writes what is held.
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

// merge hands over the lines of sorted files, with their ends, in order and each once.
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

// sorted is a file that is merged with others, at a line.
type sorted struct {
	io.Closer
	from *bufio.Reader
	line string
}

func (s *sorted) next() (err error) {
	s.line, err = s.from.ReadString('\n')
	return err
}

// runs are the files that are not at their ends, as a heap by their lines.
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
