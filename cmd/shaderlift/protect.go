package main

import (
	"io/fs"
	"os"

	"github.com/shaderlift/shaderlift/asm"
)

// protected are the files that a run reads, none of which it may write.
type protected map[fileKey][]fs.FileInfo

// fileKey is the same for the same file under whatever name, so that few files have
// to be compared.
type fileKey struct{ size, modified int64 }

func keyOf(info fs.FileInfo) fileKey { return fileKey{info.Size(), info.ModTime().UnixNano()} }

// newProtected protects the files of jobs.
func newProtected(jobs []job) protected {
	p := protected{}
	for _, j := range jobs {
		for _, path := range j.paths {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				p[keyOf(info)] = append(p[keyOf(info)], info)
			}
		}
	}
	return p
}

// check refuses to write to path if that is a protected file.
func (p protected) check(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // not there yet
	}
	for _, other := range p[keyOf(info)] {
		if os.SameFile(info, other) {
			return asm.Errorf(asm.Pos{File: path}, "overwrites-input", "this is an input, which is not written over")
		}
	}
	return nil
}
