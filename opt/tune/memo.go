package tune

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Key identifies the content of a version. The zero value means none.
type Key [16]byte

func (k Key) String() string { return hex.EncodeToString(k[:]) }

// MarshalText encodes k in hexadecimal, for JSON.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText decodes a hexadecimal key, for JSON.
func (k *Key) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(k)) {
		return fmt.Errorf("%q is not the key of a version", text)
	}
	_, err := hex.Decode(k[:], text)
	return err
}

// Made is the result of a move on a version.
type Made struct {
	Key    Key    `json:"key"`    // zero if the result is unusable
	Stages string `json:"stages"` // the stages of the move that changed the version
	Cost   [4]int `json:"cost"`   // estimate, compared lexicographically
	GPRs   int    `json:"gprs"`
	// Bound is a lower bound on the cycles of the launch; 0 if unknown.
	Bound float64 `json:"bound"`
	Words int     `json:"words"` // of the machine program
	Work  int64   `json:"work"`  // work spent
}

// Timed is the result of simulating a version.
type Timed struct {
	Cycles float64 `json:"cycles"` // 0 if unknown
	Work   int64   `json:"work"`
}

// edge is a version, by content, and a move. Pipelines with the same result share their edges.
type edge struct {
	from Key
	move string
}

// Memo stores the results of searches of one problem. It caches pure functions (their arguments
// determine Made and Timed), so other searches of the same problem may use it.
type Memo struct {
	mu sync.Mutex
	// of identifies the problem.
	of    Key
	made  map[edge]Made
	timed map[Key]Timed
}

// NewMemo returns an empty memo of a problem. The key identifies everything that determines the
// results: the input, the options and the searching program.
func NewMemo(of Key) *Memo {
	return &Memo{of: of, made: map[edge]Made{}, timed: map[Key]Timed{}}
}

// StoreResult stores the result of stages on a version, from before the search.
func (m *Memo) StoreResult(from Key, stages string, made Made) {
	storeFact(m, m.made, edge{from, stages}, made)
}

// KnowTime stores the simulation result of a version, from before the search.
func (m *Memo) KnowTime(version Key, t Timed) { storeFact(m, m.timed, version, t) }

// Size returns the number of stored results.
func (m *Memo) Size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.made) + len(m.timed)
}

// errOther is the error for a memo of another problem.
var errOther = errors.New("it belongs to another kernel, other options or another version of this program")

// memoJSON is a memo as JSON.
type memoJSON struct {
	Of    Key         `json:"of"`
	Made  []madeJSON  `json:"made"`
	Timed []timedJSON `json:"timed"`
}

type madeJSON struct {
	From Key    `json:"from"`
	Move string `json:"move"`
	Made
}

type timedJSON struct {
	Version Key `json:"version"`
	Timed
}

// MarshalJSON encodes the results, sorted by key, so that equal memos have equal encodings.
func (m *Memo) MarshalJSON() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := memoJSON{Of: m.of, Made: []madeJSON{}, Timed: []timedJSON{}}
	less := func(a, b Key) int { return bytes.Compare(a[:], b[:]) }
	for _, e := range slices.SortedFunc(maps.Keys(m.made), func(a, b edge) int {
		if c := less(a.from, b.from); c != 0 {
			return c
		}
		return strings.Compare(a.move, b.move)
	}) {
		j.Made = append(j.Made, madeJSON{e.from, e.move, m.made[e]})
	}
	for _, k := range slices.SortedFunc(maps.Keys(m.timed), less) {
		j.Timed = append(j.Timed, timedJSON{k, m.timed[k]})
	}
	return json.Marshal(j)
}

// UnmarshalJSON adds the results in another memo of the same problem.
func (m *Memo) UnmarshalJSON(data []byte) error {
	var j memoJSON
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return err
	}
	if j.Of != m.of {
		return errOther
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range j.Made {
		m.made[edge{e.From, e.Move}] = e.Made
	}
	for _, t := range j.Timed {
		m.timed[t.Version] = t.Timed
	}
	return nil
}

// recall and note access the maps under the lock.
func recall[K comparable, F any](m *Memo, facts map[K]F, k K) (F, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, known := facts[k]
	return f, known
}

func storeFact[K comparable, F any](m *Memo, facts map[K]F, k K, f F) {
	m.mu.Lock()
	defer m.mu.Unlock()
	facts[k] = f
}
