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

// Key is the content of a version. The zero value is that of none.
type Key [16]byte

func (k Key) String() string { return hex.EncodeToString(k[:]) }

// MarshalText is for JSON.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText is for JSON.
func (k *Key) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(k)) {
		return fmt.Errorf("%q is no key of a version", text)
	}
	_, err := hex.Decode(k[:], text)
	return err
}

// Made is what a move made of a version.
type Made struct {
	Key    Key    `json:"key"`    // zero if there is nothing that could be used
	Stages string `json:"stages"` // of the move, those that made a difference
	Cost   [4]int `json:"cost"`   // by estimate; the first difference decides
	GPRs   int    `json:"gprs"`
	Words  int    `json:"words"` // of the machine's program
	Work   int64  `json:"work"`  // that it took
}

// Timed is what a simulation said of a version.
type Timed struct {
	Cycles float64 `json:"cycles"` // 0 if it cannot be told
	Work   int64   `json:"work"`
}

// edge is a version and the move that is added, by content: two pipelines that come to the same
// version share their edges.
type edge struct {
	from Key
	move string
}

// Memo is what searches of one problem have found out so far. It is a cache of functions (Made and
// Timed follow from their arguments), so it is safe to use for other searches of the same problem.
type Memo struct {
	mu sync.Mutex
	// of identifies the problem.
	of    Key
	made  map[edge]Made
	timed map[Key]Timed
}

// NewMemo is that of a problem of which nothing is known. Its key says what all that is
// remembered follows from: the input, the options and the program that searches.
func NewMemo(of Key) *Memo {
	return &Memo{of: of, made: map[edge]Made{}, timed: map[Key]Timed{}}
}

// Know notes what stages make of a version, from before the search.
func (m *Memo) Know(from Key, stages string, made Made) { note(m, m.made, edge{from, stages}, made) }

// KnowTime notes what a simulation said of a version, from before the search.
func (m *Memo) KnowTime(version Key, t Timed) { note(m, m.timed, version, t) }

// Size is how many facts are remembered.
func (m *Memo) Size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.made) + len(m.timed)
}

// ErrOther says that a memo is of another problem.
var ErrOther = errors.New("it is of another kernel, of other options or of another version of this program")

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

// MarshalJSON writes what is remembered, sorted by key, so that equal memos are equal files.
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

// UnmarshalJSON adds what another memo of the same problem remembers.
func (m *Memo) UnmarshalJSON(data []byte) error {
	var j memoJSON
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return err
	}
	if j.Of != m.of {
		return ErrOther
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

// recall and note are the accesses to both maps, under the lock.
func recall[K comparable, F any](m *Memo, facts map[K]F, k K) (F, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, known := facts[k]
	return f, known
}

func note[K comparable, F any](m *Memo, facts map[K]F, k K, f F) {
	m.mu.Lock()
	defer m.mu.Unlock()
	facts[k] = f
}
