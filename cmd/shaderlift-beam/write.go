package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// writer writes the report: a file for each shard, in the order of its lines.
type writer struct {
	Report string
	Shards int
}

func init() {
	register.DoFn3x1[context.Context, int, func(*string) bool, error](&writer{})
	register.Iter1[string]()
}

// ProcessElement writes a shard.
func (w *writer) ProcessElement(ctx context.Context, shard int, lines func(*string) bool) error {
	var list []string
	size := 0
	for line := ""; lines(&line); {
		list = append(list, line)
		size += len(line) + 1
	}
	slices.Sort(list)
	data := make([]byte, 0, size)
	for _, line := range list {
		data = append(append(data, line...), '\n')
	}
	return writeFile(ctx, fmt.Sprintf("%s-%05d-of-%05d.jsonl", w.Report, shard, w.Shards), data)
}

// part is in the names of files that are being written.
const part = ".part-"

// sweep removes what workers that were killed have left half written of programs below a folder
// and of a report. Elsewhere, such as on gs://, nothing is left.
func sweep(output, report string) error {
	left, err := filepath.Glob(report + "-*" + part + "*")
	if err != nil {
		return err
	}
	if info, err := os.Stat(output); err == nil && info.IsDir() {
		err := filepath.WalkDir(output, func(path string, d fs.DirEntry, err error) error {
			if at := strings.LastIndex(path, part); err == nil && !d.IsDir() && at >= 0 && len(path) == at+len(part)+len(rand.Text()) {
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

// writeFile writes a file whole or not at all, so far as its file system can.
func writeFile(ctx context.Context, path string, data []byte) error {
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
	if _, err := f.Write(data); err != nil {
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
