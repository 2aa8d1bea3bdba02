package containers

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// encoder is a simple encoder for the tests: it finds matches by their first bytes, and varies the
// kinds and ends of blocks.
type encoder struct {
	window  lzxWindow
	rng     *rand.Rand
	recent  [3]int
	lengths struct{ main, long []uint8 } // of the previous block
	w       bitWriter
	started bool
}

func newEncoder(w lzxWindow, seed uint64) *encoder {
	e := &encoder{window: w, rng: rand.New(rand.NewPCG(seed, 1)), recent: [3]int{1, 1, 1}}
	e.lengths.main = make([]uint8, literals+lengthHeaders*w.slots())
	e.lengths.long = make([]uint8, lengthSymbols)
	return e
}

// encode returns the frames of data.
func (e *encoder) encode(data []byte) (frames [][]byte) {
	for at := 0; at < len(data); at += lzxFrame {
		end := min(at+lzxFrame, len(data))
		e.w = bitWriter{}
		if !e.started {
			e.w.put(0, 1)
			e.started = true
		}
		for from := at; from < end; {
			to := min(from+1+e.rng.IntN(lzxFrame), end)
			e.block(data, from, to)
			from = to
		}
		frames = append(frames, e.w.bytes())
	}
	return frames
}

// token is a literal or a match, with its symbols and the bits after them.
type token struct {
	main, long int // long is -1 if absent
	slot       int
	position   int // relative to the base of the slot
}

func (e *encoder) block(data []byte, from, to int) {
	kind := 1 + e.rng.IntN(3)
	e.w.put(uint32(kind), 3)
	e.w.put(uint32(to-from)>>8, 16)
	e.w.put(uint32(to-from)&0xff, 8)
	if kind == uncompressed {
		e.w.pad()
		for _, r := range e.recent {
			e.w.raw = binary.LittleEndian.AppendUint32(e.w.raw, uint32(r))
		}
		e.w.raw = append(e.w.raw, data[from:to]...)
		if (to-from)%2 != 0 {
			e.w.raw = append(e.w.raw, 0)
		}
		return
	}
	tokens := e.tokens(data, from, to)
	main, long, low := make([]int, len(e.lengths.main)), make([]int, lengthSymbols), make([]int, alignedSymbols)
	for _, t := range tokens {
		main[t.main]++
		if t.long >= 0 {
			long[t.long]++
		}
		if t.main >= literals && footer[t.slot] >= 3 {
			low[t.position&7]++
		}
	}
	mainLengths, longLengths, lowLengths := balanced(main), balanced(long), balanced(low)
	if kind == aligned {
		for _, n := range lowLengths {
			e.w.put(uint32(n), 3)
		}
	}
	e.codes(e.lengths.main[:literals], mainLengths[:literals])
	e.codes(e.lengths.main[literals:], mainLengths[literals:])
	e.codes(e.lengths.long, longLengths)
	e.lengths.main, e.lengths.long = mainLengths, longLengths
	mainCodes, longCodes, lowCodes := canonical(mainLengths), canonical(longLengths), canonical(lowLengths)
	for _, t := range tokens {
		e.w.put(mainCodes[t.main], uint(mainLengths[t.main]))
		if t.long >= 0 {
			e.w.put(longCodes[t.long], uint(longLengths[t.long]))
		}
		if t.main < literals {
			continue
		}
		n := footer[t.slot]
		if kind == aligned && n >= 3 {
			e.w.put(uint32(t.position>>3), n-3)
			e.w.put(lowCodes[t.position&7], uint(lowLengths[t.position&7]))
		} else {
			e.w.put(uint32(t.position), n)
		}
	}
}

func (e *encoder) tokens(data []byte, from, to int) (all []token) {
	seen := map[string]int{}
	for at := max(0, from-3000); at < from; at++ {
		if at+3 <= len(data) {
			seen[string(data[at:at+3])] = at
		}
	}
	for at := from; at < to; {
		t, n := token{main: int(data[at]), long: -1}, 1
		if at+3 <= to {
			if old, ok := seen[string(data[at:at+3])]; ok && at-old < 1<<e.window-3 {
				for n < 257 && at+n < to && data[old+n] == data[at+n] {
					n++
				}
				t = e.match(at-old, n)
			}
		}
		for ; n > 0; n-- {
			if at+3 <= len(data) {
				seen[string(data[at:at+3])] = at
			}
			at++
		}
		all = append(all, t)
	}
	return all
}

func (e *encoder) match(offset, length int) token {
	t := token{long: -1}
	switch k := slices.Index(e.recent[:], offset); k {
	case 0, 1, 2:
		t.slot = k
		e.recent[0], e.recent[k] = e.recent[k], e.recent[0]
	default:
		for t.slot = 3; t.slot+1 < e.window.slots() && base[t.slot+1] <= offset+2; t.slot++ {
		}
		t.position = offset + 2 - base[t.slot]
		e.recent = [3]int{offset, e.recent[0], e.recent[1]}
	}
	header := min(length-lzxMinMatch, lengthHeaders-1)
	if header == lengthHeaders-1 {
		t.long = length - lzxMinMatch - header
	}
	t.main = literals + t.slot*lengthHeaders + header
	return t
}

// codes writes lengths of codes as differences, with run lengths.
func (e *encoder) codes(before, after []uint8) {
	type op struct{ symbol, extra, bits, then int }
	var ops []op
	count := make([]int, preSymbols)
	delta := func(i int) int { return (int(before[i]) - int(after[i]) + 17) % 17 }
	for i := 0; i < len(after); {
		run := 1
		for i+run < len(after) && after[i+run] == after[i] {
			run++
		}
		o, n := op{symbol: delta(i), then: -1}, 1
		switch {
		case after[i] == 0 && run >= 20:
			n = min(run, 51)
			o = op{18, n - 20, 5, -1}
		case after[i] == 0 && run >= 4:
			n = min(run, 19)
			o = op{17, n - 4, 4, -1}
		case run >= 4:
			n = min(run, 5)
			o = op{19, n - 4, 1, delta(i)}
		}
		ops = append(ops, o)
		count[o.symbol]++
		if o.then >= 0 {
			count[o.then]++
		}
		i += n
	}
	lengths := balanced(count)
	codes := canonical(lengths)
	for _, n := range lengths {
		e.w.put(uint32(n), 4)
	}
	for _, o := range ops {
		e.w.put(codes[o.symbol], uint(lengths[o.symbol]))
		e.w.put(uint32(o.extra), uint(o.bits))
		if o.then >= 0 {
			e.w.put(codes[o.then], uint(lengths[o.then]))
		}
	}
}

// balanced returns a complete code for the symbols that occur; its lengths differ by at most one. A
// single symbol gets a second one, so that the code is complete.
func balanced(count []int) []uint8 {
	lengths := make([]uint8, len(count))
	var used []int
	for s, n := range count {
		if n > 0 {
			used = append(used, s)
		}
	}
	if len(used) == 1 {
		used = append(used, (used[0]+1)%len(count))
		slices.Sort(used)
	}
	if len(used) == 0 {
		return lengths
	}
	high := bits.Len(uint(len(used) - 1))
	short := 1<<high - len(used) // codes that are one bit shorter
	for i, s := range used {
		lengths[s] = uint8(high)
		if i < short {
			lengths[s]--
		}
	}
	return lengths
}

func canonical(lengths []uint8) []uint32 {
	codes := make([]uint32, len(lengths))
	code := uint32(0)
	for n := uint8(1); n <= maxLength; n++ {
		for s, k := range lengths {
			if k == n {
				codes[s] = code
				code++
			}
		}
		code <<= 1
	}
	return codes
}

type bitWriter struct {
	raw    []byte
	buffer uint32
	count  uint
}

func (w *bitWriter) put(v uint32, n uint) {
	for i := int(n) - 1; i >= 0; i-- {
		w.buffer = w.buffer<<1 | v>>uint(i)&1
		if w.count++; w.count == 16 {
			w.raw = binary.LittleEndian.AppendUint16(w.raw, uint16(w.buffer))
			w.buffer, w.count = 0, 0
		}
	}
}

// pad pads to a whole word, or adds one.
func (w *bitWriter) pad() { w.put(0, 16-w.count) }

func (w *bitWriter) bytes() []byte {
	if w.count > 0 {
		w.pad()
	}
	return w.raw
}
