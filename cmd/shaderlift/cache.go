package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	gocache "github.com/rogpeppe/go-internal/cache"
	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/internal/regular"
)

// cache stores the results of opt. The key covers everything that determines a result: the names
// and bytes of the files, the options, and the build of the command. It checks stored results
// against their checksum and key; a mismatch counts as a miss, and the entry is replaced. A nil
// cache stores nothing.
//
// It does not store results that may vary (with a time limit) or must be reported again (faults,
// failures). It also excludes results that depend on included files, which are not part of the key.
// The store is the one of the go command (rogpeppe/go-internal/cache) and is safe for concurrent
// processes. Entries are named by the hash of an action, in 256 folders by its first byte.
type cache struct {
	*gocache.Cache
	dir   string
	most  int64 // maximum size in bytes
	build [sha256.Size]byte
	// kept counts the results that this run has stored; see bound.
	kept atomic.Int64
	last atomic.Uint32 // the folder of the last stored result
	warn func(error)
}

// openCache opens the cache in dir, and creates it if necessary. It returns nil if dir is empty.
func (a *app) openCache(dir string, mebibytes int) (*cache, error) {
	if dir == "" {
		return nil, nil
	}
	if mebibytes < 1 {
		return nil, usagef("--cache-size %d: want a number of MiB", mebibytes)
	}
	err := os.MkdirAll(dir, 0o777)
	var c *gocache.Cache
	if err == nil {
		c, err = gocache.Open(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("--cache %s: %w", dir, reason(err))
	}
	build, err := thisBuild()
	if err != nil {
		return nil, fmt.Errorf("--cache %s: cannot identify the build of this command: %w", dir, reason(err))
	}
	var once sync.Once
	warn := func(err error) {
		once.Do(func() { fmt.Fprintf(a.err, "shaderlift: --cache %s: cannot store results: %v\n", dir, reason(err)) })
	}
	return &cache{Cache: c, dir: dir, most: int64(mebibytes) << 20, build: build, warn: warn}, nil
}

// thisBuild returns the checksum of the executable, which identifies builds of the command.
var thisBuild = sync.OnceValues(func() (sum [sha256.Size]byte, err error) {
	path, err := os.Executable()
	if err != nil {
		return sum, err
	}
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), err
})

// stored is the cached form of a result.
type stored struct {
	Key    [sha256.Size]byte // detects entries of other keys
	Result *shaderlift.Result
	Files  []shaderlift.File
	Case   []byte
}

// key returns the hash of everything that determines a result. ok is false for options under which
// results may differ from run to run.
func (c *cache) key(task string, in shaderlift.Input, o shaderlift.Options) (key [sha256.Size]byte, ok bool) {
	options, ok := o.CacheKey()
	text, err := json.Marshal(struct {
		Build         [sha256.Size]byte
		Task, Options string
		Name          string
		Files         []shaderlift.File
	}{c.build, task, options, in.Name, in.Files})
	return sha256.Sum256(text), ok && err == nil
}

// result returns the cached result, or that of work.
func (c *cache) result(task string, in shaderlift.Input, o shaderlift.Options,
	work func(shaderlift.Input) (*shaderlift.Result, error)) (*shaderlift.Result, error) {
	if c == nil {
		return work(in)
	}
	key, ok := c.key(task, in, o)
	if !ok {
		return work(in)
	}
	if res := c.find(key); res != nil {
		return res, nil
	}
	// Included files are known only after work has read them, so such results are not stored.
	included := false
	if open := in.Include; open != nil {
		in.Include = func(from, name string) (string, []byte, error) {
			included = true
			return open(from, name)
		}
	}
	res, err := work(in)
	if err == nil && len(res.Faults) == 0 && !included {
		c.storeResult(key, res)
	}
	return res, err
}

// find returns the result of a key, or nil if there is no intact one.
func (c *cache) find(key [sha256.Size]byte) *shaderlift.Result {
	entry, err := c.entry(key)
	if err != nil {
		return nil
	}
	// The store's GetBytes would block if the file is a pipe.
	data, err := regular.ReadFile(c.OutputFile(entry.OutputID))
	if err != nil || sha256.Sum256(data) != entry.OutputID {
		return nil
	}
	var e stored
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(&e) != nil || e.Key != key || e.Result == nil {
		return nil
	}
	e.Result.Files, e.Result.Case = e.Files, e.Case
	return e.Result
}

// entry returns the entry of a key. The store would open any kind of file, so entry returns an
// error for special files.
func (c *cache) entry(key [sha256.Size]byte) (gocache.Entry, error) {
	if info, err := os.Stat(c.storePath(key, "a")); err == nil && !info.Mode().IsRegular() {
		return gocache.Entry{}, regular.ErrNotRegular
	}
	return c.Get(key)
}

// storePath returns the path of a file of the store: an entry (a) or data (d).
func (c *cache) storePath(hash [sha256.Size]byte, kind string) string {
	return filepath.Join(c.dir, fmt.Sprintf("%02x", hash[0]), fmt.Sprintf("%x-%s", hash, kind))
}

// clear removes special files at the paths of a result, which the store could not replace.
func (c *cache) clear(key [sha256.Size]byte, data []byte) error {
	for _, path := range []string{c.storePath(key, "a"), c.storePath(sha256.Sum256(data), "d")} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// storeResult stores a result. It reports a failure once, without failing the run.
func (c *cache) storeResult(key [sha256.Size]byte, res *shaderlift.Result) {
	data, err := json.Marshal(stored{key, res, res.Files, res.Case})
	if err == nil {
		err = c.clear(key, data)
	}
	if err == nil {
		err = c.PutBytes(key, data)
	}
	if err != nil {
		c.warn(err)
		return
	}
	c.kept.Add(1)
	c.last.Store(uint32(sha256.Sum256(data)[0]))
}

// folders is the number of folders over which hashes spread the cache files evenly.
const folders = 256

// bound removes the least recently used entries if the cache is too large. Only runs that have
// stored a result check, and they estimate the size from one of the 256 folders, as hashes spread
// evenly. It reduces the cache to three quarters, so that not every run removes a little. Another
// process may lose an entry that it is about to read, which counts as a miss.
func (c *cache) bound() {
	if c == nil || c.kept.Load() == 0 {
		return
	}
	if some := filesBelow(filepath.Join(c.dir, fmt.Sprintf("%02x", c.last.Load()))); total(some)*folders < c.most {
		return
	}
	files := filesBelow(c.dir)
	slices.SortFunc(files, func(a, b kept) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.path, b.path))
	})
	left := total(files)
	for _, f := range files {
		if left <= c.most*3/4 {
			break
		}
		if os.Remove(f.path) == nil {
			left -= f.size
		}
	}
}

// kept is a file of the cache.
type kept struct {
	path string
	size int64
	// The store updates access times once an hour.
	used time.Time
}

func total(files []kept) (sum int64) {
	for _, f := range files {
		sum += f.size
	}
	return sum
}

// filesBelow returns the result and entry files in a folder.
func filesBelow(dir string) (files []kept) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		// The names in go-internal/cache: a hash, and -a for an action or -d for data.
		if name := d.Name(); len(name) == 2*sha256.Size+2 && (name[2*sha256.Size:] == "-a" || name[2*sha256.Size:] == "-d") {
			if info, err := d.Info(); err == nil {
				files = append(files, kept{path, info.Size(), info.ModTime()})
			}
		}
		return nil
	})
	return files
}
