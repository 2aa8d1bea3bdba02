package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/shaderlift/shaderlift/internal/regular"
)

// journalName is the file, in each affected directory, with the files that a commit renames. If a
// run finds one under the lock of its directory, the run that wrote it was killed.
const journalName = ".shaderlift.journal"

// entry is a file of a journal. Names are relative to the directory of the journal.
type entry struct {
	Temp string `json:"temp"`
	Path string `json:"path"`
	Sum  []byte `json:"sha256"`
}

// writeJournals writes a journal with all renames and the checksum of each file into each affected
// directory. A journal is itself written under a temporary name and renamed. Once the first is in
// place, the commit is decided.
func writeJournals(dirs, temps, paths []string) error {
	sums := make([][]byte, len(temps))
	for i, temp := range temps {
		sums[i] = sumOf(temp)
	}
	for _, dir := range dirs {
		var entries []entry
		for i := range temps {
			temp, err := relative(dir, temps[i])
			if err != nil {
				return err
			}
			path, err := relative(dir, paths[i])
			if err != nil {
				return err
			}
			entries = append(entries, entry{temp, path, sums[i]})
		}
		data, err := json.Marshal(entries)
		if err != nil {
			return err
		}
		journal := filepath.Join(dir, journalName)
		f, err := temporary(journal)
		if err != nil {
			return cannotWrite(journal, err)
		}
		_, err = f.Write(data)
		err = errors.Join(err, synced(f), f.Close())
		if err == nil {
			err = os.Rename(f.Name(), journal)
		}
		if err != nil {
			os.Remove(f.Name())
			removeJournals(dirs)
			return cannotWrite(journal, err)
		}
	}
	return nil
}

func removeJournals(dirs []string) {
	for _, dir := range dirs {
		os.Remove(filepath.Join(dir, journalName))
	}
}

func relative(dir, path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.Rel(dir, abs)
}

// sumOf returns the SHA-256 of a file, or nil if it cannot be read.
func sumOf(path string) []byte {
	data, err := regular.ReadFile(path)
	if err != nil {
		return nil
	}
	sum := sha256.Sum256(data)
	return sum[:]
}

// recoverIn completes the commit of a killed run, if its journal is in the directory, which the
// caller has locked. It looks for each file by its checksum, under the temporary or the real name,
// and then performs the missing renames. If a file is missing, the run was killed before all files
// were on disk and before any rename. Then recoverIn removes the temporary files and renames
// nothing.
func recoverIn(dir string) error {
	journal := filepath.Join(dir, journalName)
	data, err := regular.ReadFile(journal)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return cannotRead(journal, err)
	}
	var entries []entry
	whole := json.Unmarshal(data, &entries) == nil
	for i := range entries {
		e := &entries[i]
		e.Temp, e.Path = filepath.Join(dir, e.Temp), filepath.Join(dir, e.Path)
		// A forged journal must not move files.
		if filepath.Dir(e.Temp) != filepath.Dir(e.Path) || !isTemporary(filepath.Base(e.Temp)) {
			return os.Remove(journal) // not a journal of this command
		}
		whole = whole && (string(sumOf(e.Temp)) == string(e.Sum) || string(sumOf(e.Path)) == string(e.Sum))
	}
	for _, e := range entries {
		if whole && string(sumOf(e.Temp)) == string(e.Sum) {
			if err := os.Rename(e.Temp, e.Path); err != nil && !os.IsNotExist(err) {
				return cannotWrite(e.Path, err)
			}
		}
		os.Remove(e.Temp)
	}
	return os.Remove(journal)
}

// isTemporary matches the names from temporary: a dot, the base name, 26 characters of base32
// (crypto/rand.Text), ".tmp".
var isTemporary = regexp.MustCompile(`^\..*\.[A-Z2-7]{26}\.tmp$`).MatchString

// swept holds the directories that this process has swept.
var swept sync.Map

// sweepOnce removes the leftovers of killed runs from a directory when this process first writes to
// it. It completes unfinished commits and removes unlocked temporary files.
func sweepOnce(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	if _, done := swept.LoadOrStore(abs, true); done {
		return nil
	}
	return sweep(abs)
}

func sweep(dir string) error {
	unlock, err := lockAll([]string{dir})
	if err != nil {
		return err
	}
	defer unlock()
	if err := recoverIn(dir); err != nil {
		return err
	}
	// Without locks, it cannot distinguish the files of running processes from leftovers.
	if !locks {
		return nil
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil // a writable directory may be unreadable
	}
	for _, name := range names {
		if !name.Type().IsRegular() || !isTemporary(name.Name()) {
			continue
		}
		path := filepath.Join(dir, name.Name())
		if f, err := os.Open(path); err == nil {
			if tryLock(f) == nil {
				os.Remove(path)
			}
			f.Close()
		}
	}
	return nil
}
