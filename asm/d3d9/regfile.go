package d3d9

import "strconv"

// fileInfo is one row of the register table.
type fileInfo struct {
	// prefix is the letters before the number; names are the full spellings in files whose
	// registers have individual names.
	prefix string
	names  []string
	// code is the register type of the bytecode.
	code uint8
	// count is the number of registers that a program may name, with a column per model as in the
	// instruction table. software is the count in the software profiles, or 0 if it equals the
	// column.
	count    [11]uint16
	software uint16
}

// The register table. The counts are the largest that any implementation of the model offers and
// its encoding allows; the limits describe real devices. ps_3_0 has ten v#. The table allows 16,
// one for each texture coordinate that a vertex program can write, because such programs can be
// made to fit.
var fileTable = [numFiles]fileInfo{
	//                                          vs 1_1   2_0   2_x   3_0  ps 1_1 1_2 1_3 1_4 2_0 2_x 3_0
	Temp:      {prefix: "r", code: 0, count: [...]uint16{32, 32, 32, 32, 2, 2, 2, 6, 32, 32, 32}},
	Input:     {prefix: "v", code: 1, count: [...]uint16{16, 16, 16, 16, 2, 2, 2, 2, 2, 2, 16}},
	Const:     {prefix: "c", code: 2, count: [...]uint16{8192, 8192, 8192, 8192, 8, 8, 8, 8, 32, 32, 224}, software: 8192},
	Addr:      {prefix: "a", code: 3, count: [...]uint16{1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}},
	Texture:   {prefix: "t", code: 3, count: [...]uint16{0, 0, 0, 0, 4, 4, 4, 6, 8, 8, 0}},
	RastOut:   {names: []string{"oPos", "oFog", "oPts"}, code: 4, count: [...]uint16{3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0}},
	AttrOut:   {prefix: "oD", code: 5, count: [...]uint16{2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0}},
	TexOut:    {prefix: "oT", code: 6, count: [...]uint16{8, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0}},
	Output:    {prefix: "o", code: 6, count: [...]uint16{0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0}, software: 16},
	ConstInt:  {prefix: "i", code: 7, count: [...]uint16{0, 16, 16, 16, 0, 0, 0, 0, 0, 16, 16}, software: 2048},
	ColorOut:  {prefix: "oC", code: 8, count: [...]uint16{0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4}},
	DepthOut:  {names: []string{"oDepth"}, code: 9, count: [...]uint16{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1}},
	Sampler:   {prefix: "s", code: 10, count: [...]uint16{0, 0, 0, 4, 0, 0, 0, 0, 16, 16, 16}},
	ConstBool: {prefix: "b", code: 14, count: [...]uint16{0, 16, 16, 16, 0, 0, 0, 0, 0, 16, 16}, software: 2048},
	Loop:      {names: []string{"aL"}, code: 15, count: [...]uint16{0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1}},
	Misc:      {names: []string{"vPos", "vFace"}, code: 17, count: [...]uint16{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}},
	Label:     {prefix: "l", code: 18, count: [...]uint16{0, 2048, 2048, 2048, 0, 0, 0, 0, 0, 2048, 2048}},
	Predicate: {prefix: "p", code: 19, count: [...]uint16{0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1}},
	Bump:      {prefix: "bump", code: 31},
}

// maxNumber is the largest register number that a token can hold; c# has further register types for
// the numbers beyond.
const maxNumber = 1<<11 - 1

// nameable returns the number of registers of file f that a program of model m may name.
func (m Model) nameable(f File) int {
	info := &fileTable[f]
	col := m.class()
	n := info.count[col-col/5] // the slots strings have a blank after every stage and version group
	if n > 0 && info.software > 0 && m.Software() {
		n = info.software
	}
	return int(n)
}

// indexable reports whether registers of file f may be addressed relative to
// index, which is Addr or Loop.
func (m Model) indexable(f, index File) bool {
	if index != Addr && index != Loop || m.nameable(index) == 0 {
		return false
	}
	switch f {
	case Const:
		return m.Stage == Vertex
	case Input:
		return m.Major >= 3
	case Output:
		return true
	}
	return false
}

// String returns the spelling of r in assembly: c12, oPos, vFace.
func (r Reg) String() string { return string(appendReg(nil, r)) }

func appendReg(b []byte, r Reg) []byte {
	if r.File == NoFile || r.File >= numFiles {
		return append(b, "invalid"...)
	}
	info := &fileTable[r.File]
	if int(r.Index) < len(info.names) {
		return append(b, info.names[r.Index]...)
	}
	return strconv.AppendUint(append(b, info.prefix...), uint64(r.Index), 10)
}

// regNames maps names to registers with individual names, regPrefixes maps prefixes to files of
// numbered registers, both in lower case.
var regNames, regPrefixes = func() (map[string]Reg, map[string]File) {
	names, prefixes := map[string]Reg{}, map[string]File{}
	for f := NoFile + 1; f < numFiles; f++ {
		for i, n := range fileTable[f].names {
			names[lower(n)] = Reg{f, uint16(i)}
		}
		if p := fileTable[f].prefix; p != "" {
			prefixes[lower(p)] = f
		}
	}
	return names, prefixes
}()

// lookupReg splits a lower-case word into a register and the modifier after it ("r1_bx2" is r1 and
// "_bx2"). numbered is false for a bare file such as the c of c[a0.x]. A number too large for any
// register saturates.
func lookupReg(word string) (r Reg, numbered bool, suffix string, ok bool) {
	end := 0
	for end < len(word) && word[end] >= 'a' && word[end] <= 'z' {
		end++
	}
	stem := word[:end]
	if r, ok = regNames[stem]; ok {
		numbered = true
	} else {
		f, known := regPrefixes[stem]
		if !known {
			return Reg{}, false, "", false
		}
		n := 0
		for ; end < len(word) && isDigit(word[end]); end++ {
			n = min(n*10+int(word[end]-'0'), 1<<16-1)
			numbered = true
		}
		r = Reg{f, uint16(n)}
	}
	suffix = word[end:]
	return r, numbered, suffix, suffix == "" || suffix[0] == '_'
}
