package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/internal/regular"
	"github.com/shaderlift/shaderlift/opt/input"
)

// backupSuffix is appended to the name of a file that --backup keeps.
const backupSuffix = ".orig"

// isBackup reports whether path is a file that --backup kept, next to the file that replaced it. Walks skip it.
func isBackup(path string) bool {
	name, found := strings.CutSuffix(path, backupSuffix)
	return found && isFile(name)
}

// replaceable returns an error for an input that its result must not replace.
func replaceable(in shaderlift.Input) error {
	for _, f := range in.Files {
		pos := asm.Pos{File: f.Name}
		switch {
		case f.Name == stdinName:
			return asm.Errorf(pos, "not-in-place", "-w cannot replace standard input; give -o instead")
		case isBackup(f.Name):
			return asm.Errorf(pos, "not-in-place", "this is the backup of %s; -w leaves backups as they are",
				asm.Shown(strings.TrimSuffix(f.Name, backupSuffix)))
		}
	}
	return nil
}

// keepsDirectives returns an error for a text with directives, which the results of opt lack.
func keepsDirectives(f, result shaderlift.File) error {
	if shaderlift.Recognize(f.Data) == input.Assembly && hasDirectives(f.Data) && !hasDirectives(result.Data) {
		return asm.Errorf(asm.Pos{File: f.Name}, "not-in-place", "the result lacks the directives (#) of this text; give -o instead of -w")
	}
	return nil
}

// hasDirectives reports whether a line of assembly text begins with a directive of the preprocessor.
func hasDirectives(text []byte) bool {
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			return true
		}
	}
	return false
}

// completeCommits completes the commits of killed runs in the folders of jobs. Otherwise a run could read one file of
// a pair before and one after a commit.
func completeCommits(jobs []job) {
	for i := range jobs {
		for _, path := range jobs[i].paths {
			if path, err := followed(path); err == nil && path != stdinName {
				sweepOnce(filepath.Dir(path)) // writing to the folder reports errors
			}
		}
	}
}

// replaceFiles replaces the files at paths by data, all or none. The error is for a file that is no longer the one
// that was read, or whose backup cannot be kept.
func replaceFiles(paths []string, data [][]byte, read []shaderlift.File, backup bool) error {
	was := map[string][]byte{}
	for _, f := range read {
		was[f.Name] = f.Data
	}
	return writeFiles(paths, data, func() (undo func(), err error) {
		var made []string
		undo = func() {
			for _, name := range made {
				os.Remove(name)
			}
		}
		for i, path := range paths {
			now, err := readPath(path, nil)
			if err == nil && bytes.Equal(now, data[i]) {
				continue // written for another name of the file
			}
			if err == nil && !bytes.Equal(now, was[path]) {
				err = errors.New("the file changed while it was optimized; run the command again")
			}
			if err == nil && backup {
				var name string
				if name, err = backUp(path); name != "" {
					made = append(made, name)
				}
			}
			if err != nil {
				undo()
				return nil, cannotWrite(path, err)
			}
		}
		return undo, nil
	})
}

// backUp keeps the file at path as NAME.orig, next to the file itself if path is a link. It returns the new file, or
// nothing if there is an equal one already. It never replaces a different one: that may be the only copy of an older
// original.
func backUp(path string) (made string, err error) {
	if path, err = followed(path); err != nil {
		return "", err
	}
	name := path + backupSuffix
	err = os.Link(path, name) // keeps mode, owner and times
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = copyNew(path, name) // a file system without links
	}
	if !errors.Is(err, fs.ErrExist) {
		return name, err
	}
	a, err := regular.ReadFile(path)
	if err != nil {
		return "", err
	}
	// A link to path would be a link to the new file.
	if b, err := regular.ReadFile(name); err != nil || !bytes.Equal(a, b) || isLink(name) {
		return "", fmt.Errorf("the backup %s exists and is another file; move it away, or leave --backup out", asm.Shown(name))
	}
	return "", nil
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// copyNew copies a file to a name that does not exist yet. The caller has locked the directory.
func copyNew(path, name string) error {
	if _, err := os.Lstat(name); err == nil {
		return fs.ErrExist
	}
	data, err := regular.ReadFile(path)
	if err != nil {
		return err
	}
	f, err := temporary(name)
	if err != nil {
		return err
	}
	if info, e := os.Stat(path); e == nil {
		f.Chmod(info.Mode().Perm())
	}
	_, err = f.Write(data)
	if err = errors.Join(err, synced(f), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// compare records the paths whose files are missing or differ from data.
func (o *output) compare(paths []string, data [][]byte) {
	for i, path := range paths {
		switch now, err := readPath(path, nil); {
		case o.inPlace:
			o.stale = append(o.stale, asm.Shown(path)+": -w would replace this file")
		case !isFile(path):
			o.stale = append(o.stale, asm.Shown(path)+": missing")
		case err != nil:
			o.stale = append(o.stale, asm.Shown(path)+": unreadable")
		case !bytes.Equal(now, data[i]):
			o.stale = append(o.stale, asm.Shown(path)+": stale")
		}
	}
}
