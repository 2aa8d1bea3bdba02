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

// A Root is where shaders are: a folder, an archive, the files of one, or a list of these, of which
// it has the lines that begin in some of its bytes.
type Root struct {
	Name     string
	List     bool
	From, To int64
}

// listPiece is of how many bytes of a list one worker finds the shaders.
const listPiece = 1 << 20

// roots are those that arguments name, lists in pieces.
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

// expand hands over the shaders of a root.
func (r Root) expand(found finder) error {
	if !r.List {
		return expand(r.Name, found)
	}
	f, err := os.Open(r.Name)
	if err != nil {
		return err
	}
	defer f.Close()
	// From the byte before: what it is in the middle of, or at the end of, belongs to the piece before.
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

// noted is a shader that was found, as it lies in a spool: what has the same content is side by side.
type noted struct {
	Key string
	Shader
}

// buckets are how many parts the shaders are divided into by content. So many workers can be busy.
const buckets = 512

// expander finds the shaders of roots, and notes them down.
type expander struct{ Report string }

func init() {
	register.DoFn3x1[context.Context, Root, func(int, string), error](&expander{})
	register.Emitter2[int, string]()
}

// ProcessElement hands over files with shaders by their bucket.
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
