package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
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
)

// cache keeps the results of opt by what they follow from: the names and bytes of the files, the
// options, and this very build of the command. What is read back is held to its checksum and to
// the key it was kept under; anything else is no hit, and is replaced. A nil cache keeps nothing.
//
// Not kept is what may come out differently (with a time limit), what would have to be told again
// (faults, failures), and what includes files, which are not part of the key.
// The store is that of the go command (rogpeppe/go-internal/cache): entries by the hash of an
// action, in 256 folders by its first byte, safe for concurrent processes.
type cache struct {
	*gocache.Cache
	dir   string
	most  int64 // bytes
	build [sha256.Size]byte
	// kept counts the results that this run has stored, last is the folder of one of them; see
	// bound.
	kept atomic.Int64
	last atomic.Uint32 // the folder of one of them
	warn func(error)
}

// openCache opens the cache in dir, and makes it if need be; there is none without a name.
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
		return nil, fmt.Errorf("--cache %s: the command cannot be told from other builds: %w", dir, reason(err))
	}
	var once sync.Once
	warn := func(err error) {
		once.Do(func() { fmt.Fprintf(a.err, "shaderlift: --cache %s: results are not kept: %v\n", dir, reason(err)) })
	}
	return &cache{Cache: c, dir: dir, most: int64(mebibytes) << 20, build: build, warn: warn}, nil
}

// thisBuild tells builds of the command apart, released or not: it is the checksum of its file.
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

// stored is what the cache holds of a result.
type stored struct {
	Key    [sha256.Size]byte // it is the result of this, and of nothing else
	Result *shaderlift.Result
	Files  []shaderlift.File
	Case   []byte
}

// key is the hash of everything that a result follows from. It is not ok for options under which
// results may differ from run to run.
func (c *cache) key(task string, in shaderlift.Input, o shaderlift.Options) (key [sha256.Size]byte, ok bool) {
	options, ok := o.Key()
	text, err := json.Marshal(struct {
		Build         [sha256.Size]byte
		Task, Options string
		Name          string
		Files         []shaderlift.File
	}{c.build, task, options, in.Name, in.Files})
	return sha256.Sum256(text), ok && err == nil
}

// result is the result of work, as it was kept or as it is.
func (c *cache) result(task string, in shaderlift.Input, o shaderlift.Options, work func(shaderlift.Input) (*shaderlift.Result, error)) (*shaderlift.Result, error) {
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
	// Included files are known only after work has read them; such results are not kept.
	included := false
	if open := in.Include; open != nil {
		in.Include = func(from, name string) (string, []byte, error) {
			included = true
			return open(from, name)
		}
	}
	res, err := work(in)
	if err == nil && len(res.Faults) == 0 && !included {
		c.keep(key, res)
	}
	return res, err
}

// find is the result of a key, nil if there is none that is whole.
func (c *cache) find(key [sha256.Size]byte) *shaderlift.Result {
	data, _, err := c.GetBytes(key)
	if err != nil {
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

// keep stores a result. Failure to do so does not fail the run, and is reported once.
func (c *cache) keep(key [sha256.Size]byte, res *shaderlift.Result) {
	data, err := json.Marshal(stored{key, res, res.Files, res.Case})
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

// folders is how many the cache spreads its files over, evenly.
const folders = 256

// bound removes the entries that were not used for the longest time, if the cache is too large.
// Only runs that have stored something check, and one of the 256 folders is enough for an estimate,
// as hashes spread evenly. It goes down to three quarters, so that not every run removes a little.
// Another process may lose an entry that it is about to read, which is a miss for it.
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
	// The store updates times of use once an hour.
	used time.Time
}

func total(files []kept) (sum int64) {
	for _, f := range files {
		sum += f.size
	}
	return sum
}

// filesBelow are the results in a folder, and the entries that lead to them.
func filesBelow(dir string) (files []kept) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		// The names of go-internal/cache: a hash, and -a for an action or -d for data.
		if name := d.Name(); len(name) == 2*sha256.Size+2 && (name[2*sha256.Size:] == "-a" || name[2*sha256.Size:] == "-d") {
			if info, err := d.Info(); err == nil {
				files = append(files, kept{path, info.Size(), info.ModTime()})
			}
		}
		return nil
	})
	return files
}
