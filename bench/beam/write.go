package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// Shaders found and report lines are in files below this folder until the report is written,
// because they are too large for the runners' memory.
const lineFolder = ".lines"

func hash(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// writer writes the report: one sorted file for each shard.
type writer struct {
	Report string
	Shards int
}

// cleaner removes the line files when the whole report is written.
type cleaner struct{ Report string }

func init() {
	register.DoFn4x1[context.Context, int, func(*string) bool, func(int, int), error](&writer{})
	register.DoFn3x1[context.Context, int, func(*int) bool, error](&cleaner{})
	register.Iter1[int]()
	register.Emitter2[int, int]()
}

// ProcessElement writes a shard, whose lines are in the given files. A line begins with the input.
func (w *writer) ProcessElement(ctx context.Context, shard int, lines func(*string) bool, emit func(int, int)) error {
	err := writeTo(ctx, fmt.Sprintf("%s-%05d-of-%05d.jsonl", w.Report, shard, w.Shards), func(to io.Writer) error {
		b := bufio.NewWriter(to)
		err := merge(ctx, all(lines), func(line string) error {
			_, err := b.WriteString(line)
			return err
		})
		return cmp.Or(err, b.Flush())
	})
	if err == nil {
		emit(0, shard)
	}
	return err
}

// ProcessElement runs after the last shard.
func (c *cleaner) ProcessElement(ctx context.Context, _ int, _ func(*int) bool) error {
	return removeLines(ctx, c.Report)
}

// removeLines removes the temporary files of a run.
func removeLines(ctx context.Context, report string) error {
	files, err := filesystem.New(ctx, report)
	if err != nil {
		return err
	}
	defer files.Close()
	if !strings.Contains(report, "://") {
		return os.RemoveAll(report + lineFolder)
	}
	list, err := files.List(ctx, report+lineFolder+"/*/*")
	if err != nil {
		return err
	}
	if f, ok := files.(filesystem.Remover); ok {
		for _, name := range list {
			if err := f.Remove(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// part occurs in the names of files during writing.
const part = ".part-"

// sweep removes partial files that killed workers left below the output folder and next to the
// report. Object stores such as gs:// have none.
func sweep(output, report string) error {
	left, err := filepath.Glob(report + "-*" + part + "*")
	if err != nil {
		return err
	}
	if info, err := os.Stat(output); err == nil && info.IsDir() {
		err := filepath.WalkDir(output, func(path string, d fs.DirEntry, err error) error {
			if at := strings.LastIndex(path, part); err == nil && !d.IsDir() && at >= 0 &&
				len(path) == at+len(part)+len(rand.Text()) {
				left = append(left, path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, path := range left {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// writeFile writes a file atomically, as far as its file system can.
func writeFile(ctx context.Context, path string, data []byte) error {
	return writeTo(ctx, path, func(to io.Writer) error {
		_, err := to.Write(data)
		return err
	})
}

// writeTo works like writeFile, with the output of write.
func writeTo(ctx context.Context, path string, write func(io.Writer) error) error {
	files, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer files.Close()
	to, renamed := path, false
	r, renames := files.(filesystem.Renamer)
	if renames {
		to = path + part + rand.Text()
		defer func() {
			if f, ok := files.(filesystem.Remover); ok && !renamed {
				f.Remove(ctx, to)
			}
		}()
	}
	f, err := files.OpenWrite(ctx, to)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil || !renames {
		return err
	}
	err = r.Rename(ctx, to, path)
	renamed = err == nil
	return err
}
