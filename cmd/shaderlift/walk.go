package main

import (
	"os"
	"path/filepath"
)

// walk is one recursive directory walk.
type walk struct {
	*expander
	root string
	// real is the path of root with links resolved; seen has such paths of the visited directories.
	real string
	seen map[string]bool
}

// walkFrom yields the inputs in a directory tree, folder by folder in the order of names. It skips
// the results of an earlier run, or each run would read the results of the last one. It returns
// false when yield did.
func (e *expander) walkFrom(root string) bool {
	w := walk{expander: e, root: root, seen: map[string]bool{}}
	w.real, _ = filepath.EvalSymlinks(root)
	return w.visit(root, w.real)
}

// visit yields the inputs of one directory and of those below it. It visits a directory once, even
// if links lead to it again.
func (w *walk) visit(dir, real string) bool {
	if w.seen[real] {
		return true
	}
	w.seen[real] = true
	entries, err := os.ReadDir(dir)
	if err != nil { // an input that fails; the walk continues after it
		return w.yield(failure(dir, err))
	}
	for _, j := range w.app.folder(w.root, dir, entries) {
		if !w.yield(j) {
			return false
		}
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() || os.SameFile(info, w.app.results) {
			continue
		}
		below := filepath.Join(real, entry.Name())
		if entry.Type()&os.ModeSymlink != 0 {
			if below, err = filepath.EvalSymlinks(path); err != nil || isBelow(below, w.real) {
				continue // directories below root are visited under their own name
			}
		}
		if !w.visit(path, below) {
			return false
		}
	}
	return true
}
