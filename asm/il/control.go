package il

import (
	"strconv"
	"strings"
)

// Controls holds the suffixes of an opcode. The Op determines the fields in use; the others are
// zero, so that statements compare by value.
type Controls struct {
	// 0*inf is NaN (IEEE 754); otherwise 0 times any value is 0
	IEEE bool
	Fine bool // of a derivative
	Uint bool // of resinfo
	// _cached: reads may come from the cache
	Cached   bool
	Neighbor bool // _neighborExch of lds_read_vec
	Unnorm   bool // of dcl_resource: coordinates are texels
	Zero     ZeroOp
	Rel      RelOp
	Atomic   Atomic
	Fence    Fence
	Size     MemSize
	Comp     Sel // of fetch4: the component gathered
	// lanes whose results rewrites must keep exactly (precise in HLSL)
	Precise Lanes
	Usage   Usage
	Interp  Interp
	Tex     TexType
	// the type of each component of a resource
	Format  [4]ElementFormat
	Texel   [3]int8 // coordinate offset in half texels
	ID      uint16  // the number of a resource, view, local memory or stream
	Sampler uint16
	Number  uint32 // the offset of lds_write_vec and memexport, the element of memimport
}

// control is a bit set of controls. Their order is the order of canonical text, and of
// controlTable.
type control uint32

const (
	cIEEE control = 1 << iota
	cFine
	cZeroOp
	cRelOp
	cNeighbor
	cResource
	cStage
	cID
	cStream
	cSampler
	cTexel
	cCompSel
	cUint
	cSize
	cCached
	cLOffset
	cOffset
	cElem
	cFence
	cUsage
	cInterp
	cType
	cFmtX
	cFmtY
	cFmtZ
	cFmtW
	cShift
	cSat
	cPrecise

	cResult = cShift | cSat | cPrecise
)

// controlInfo is one row of the table of controls, which is in the order of the bits.
type controlInfo struct {
	// the spellings without the underscore, separated by blanks; the first is canonical
	names string
	// args is the number of arguments in parentheses; least is the number of required ones.
	least, args int
	// read parses the control; word is its name as spelt.
	read func(in *Inst, word string, args []string) bool
	// text appends the canonical spelling without the leading underscore, or nothing for the
	// default value.
	text func(b []byte, in *Inst) []byte
}

// The table of controls. Most are a flag, a word in parentheses or a number in parentheses; the
// functions below build rows of these kinds from a pointer to the field.
var controlTable = [...]controlInfo{
	flagControl("ieee", func(in *Inst) *bool { return &in.Ctl.IEEE }),
	flagControl("fine", func(in *Inst) *bool { return &in.Ctl.Fine }),
	enumControl("zeroop", zeroNames[:], func(in *Inst) *ZeroOp { return &in.Ctl.Zero }),
	enumControl("relop", relNames[:], func(in *Inst) *RelOp { return &in.Ctl.Rel }),
	flagControl("neighborExch", func(in *Inst) *bool { return &in.Ctl.Neighbor }),
	numberControl("resource", idField),
	numberControl("stage", idField),
	numberControl("id", idField),
	numberControl("stream", idField),
	numberControl("sampler", func(in *Inst) *uint16 { return &in.Ctl.Sampler }),
	{names: "aoffimmi addroffimmi", least: 3, args: 3, read: readTexel, text: appendTexel},
	{names: "compselect", least: 1, args: 1, read: readComp, text: appendComp},
	flagControl("uint", func(in *Inst) *bool { return &in.Ctl.Uint }),
	enumControl("size", sizeNames[:], func(in *Inst) *MemSize { return &in.Ctl.Size }),
	flagControl("cached", func(in *Inst) *bool { return &in.Ctl.Cached }),
	numberControl("lOffset", numberField),
	numberControl("offset", numberField),
	numberControl("elem", numberField),
	{names: strings.Join(fenceNames[:], " "), read: readFence, text: appendFence},
	{names: "usage " + strings.Join(usageNames[:], " "), args: 1, read: readUsage,
		text: func(b []byte, in *Inst) []byte { return append(b, in.Ctl.Usage.String()...) }},
	enumControl("interp", interpNames[:], func(in *Inst) *Interp { return &in.Ctl.Interp }),
	{names: "type", least: 1, args: 2, read: readType, text: appendType},
	formatControl(0),
	formatControl(1),
	formatControl(2),
	formatControl(3),
	{names: strings.Join(shiftNames[:], " "), read: readShift,
		text: func(b []byte, in *Inst) []byte { return append(b, shiftNames[in.Dst.Shift+3]...) }},
	flagControl("sat", func(in *Inst) *bool { return &in.Dst.Sat }),
	{names: "prec", args: 1, read: readPrecise, text: appendPrecise},
}

// controlOf finds a control by name; longestControl is the length of the longest name. Names such
// as mem_write_only contain underscores, so underscores do not delimit suffixes (see longestName).
var controlOf, longestControl = func() (map[string]int, int) {
	m, most := map[string]int{}, 0
	for i := range controlTable {
		for _, name := range strings.Fields(controlTable[i].names) {
			m[name] = i
			most = max(most, len(name))
		}
	}
	return m, most
}()

// flagControl returns a control without arguments: _sat.
func flagControl(name string, field func(*Inst) *bool) controlInfo {
	return controlInfo{
		names: name,
		read:  func(in *Inst, _ string, _ []string) bool { *field(in) = true; return true },
		text: func(b []byte, in *Inst) []byte {
			if *field(in) {
				b = append(b, name...)
			}
			return b
		},
	}
}

// enumControl returns a control with a word: _zeroop(fltmax). The value without a name is not
// written.
func enumControl[T ~uint8](name string, names []string, field func(*Inst) *T) controlInfo {
	return controlInfo{
		names: name, least: 1, args: 1,
		read: func(in *Inst, _ string, args []string) bool { return lookupEnum(names, args[0], field(in)) },
		text: func(b []byte, in *Inst) []byte {
			if word := names[*field(in)]; word != "" {
				b = appendArg(b, name, word)
			}
			return b
		},
	}
}

// idField and numberField return the fields that several controls set.
func idField(in *Inst) *uint16     { return &in.Ctl.ID }
func numberField(in *Inst) *uint32 { return &in.Ctl.Number }

// numberControl returns a control with a number that fits its field: _resource(0).
func numberControl[T ~uint16 | ~uint32](name string, field func(*Inst) *T) controlInfo {
	return controlInfo{
		names: name, least: 1, args: 1,
		read: func(in *Inst, _ string, args []string) bool {
			n, err := strconv.ParseUint(args[0], 10, 32)
			*field(in) = T(n)
			return err == nil && uint64(T(n)) == n
		},
		text: func(b []byte, in *Inst) []byte {
			return appendArg(b, name, strconv.FormatUint(uint64(*field(in)), 10))
		},
	}
}

// formatControl returns the control for the type of one component: _fmtx(float).
func formatControl(lane int) controlInfo {
	return enumControl("fmt"+selNames[lane:lane+1], formatNames[:],
		func(in *Inst) *ElementFormat { return &in.Ctl.Format[lane] })
}

// appendArg appends a name with an argument.
func appendArg(b []byte, name, arg string) []byte {
	b = append(append(b, name...), '(')
	return append(append(b, arg...), ')')
}

// readTexel reads the offset of a coordinate in half texels: _aoffimmi(0.5,-1.0,0.0).
func readTexel(in *Inst, _ string, args []string) bool {
	for i, a := range args {
		v, err := strconv.ParseFloat(a, 32)
		half := int8(max(-128, min(2*v, 127)))
		if err != nil || float64(half) != 2*v {
			return false
		}
		in.Ctl.Texel[i] = half
	}
	return true
}

// appendTexel appends the offset with one decimal, or nothing if it is zero.
func appendTexel(b []byte, in *Inst) []byte {
	if in.Ctl.Texel == [3]int8{} {
		return b
	}
	b = append(b, "aoffimmi("...)
	for i, half := range in.Ctl.Texel {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(half)/2, 'f', 1, 32)
	}
	return append(b, ')')
}

// readComp reads the component that fetch4 gathers.
func readComp(in *Inst, _ string, args []string) bool {
	i := strings.Index(selNames[:4], args[0])
	in.Ctl.Comp = Sel(max(i, 0))
	return i >= 0 && len(args[0]) == 1
}

// appendComp appends the component, unless it is x.
func appendComp(b []byte, in *Inst) []byte {
	if c := in.Ctl.Comp; c != SelX {
		b = appendArg(b, "compselect", selNames[c:c+1])
	}
	return b
}

// readFence reads one of the suffixes of fence, each of which may occur once: fence_threads_lds.
func readFence(in *Inst, word string, _ []string) bool {
	var bit uint8
	lookupEnum(fenceNames[:], word, &bit)
	old := in.Ctl.Fence
	in.Ctl.Fence |= 1 << bit
	return in.Ctl.Fence != old
}

// appendFence appends them in the order of the bits.
func appendFence(b []byte, in *Inst) []byte {
	separator := ""
	for i, name := range fenceNames {
		if in.Ctl.Fence>>i&1 != 0 {
			b = append(append(b, separator...), name...)
			separator = "_"
		}
	}
	return b
}

// readUsage reads generic or usage(generic), which have the same meaning.
func readUsage(in *Inst, word string, args []string) bool {
	if word == "usage" && len(args) == 1 {
		return lookupEnum(usageNames[:], args[0], &in.Ctl.Usage)
	}
	return len(args) == 0 && lookupEnum(usageNames[:], word, &in.Ctl.Usage)
}

// readType reads the shape of a resource: _type(2d) or _type(2d,unnorm).
func readType(in *Inst, _ string, args []string) bool {
	in.Ctl.Unnorm = len(args) == 2
	return lookupEnum(texNames[:], args[0], &in.Ctl.Tex) && (len(args) == 1 || args[1] == "unnorm")
}

func appendType(b []byte, in *Inst) []byte {
	word := in.Ctl.Tex.String()
	if in.Ctl.Unnorm {
		word += ",unnorm"
	}
	return appendArg(b, "type", word)
}

// readShift reads the scale of a result: x2 is 1, d2 is -1.
func readShift(in *Inst, word string, _ []string) bool {
	var i int8
	ok := lookupEnum(shiftNames[:], word, &i)
	in.Dst.Shift = i - 3
	return ok
}

// readPrecise reads _prec, for all lanes, or _prec(xy).
func readPrecise(in *Inst, _ string, args []string) bool {
	in.Ctl.Precise = AllLanes
	return len(args) == 0 || readLanes(args[0], &in.Ctl.Precise)
}

func appendPrecise(b []byte, in *Inst) []byte {
	switch l := in.Ctl.Precise; l {
	case 0:
		return b
	case AllLanes:
		return append(b, "prec"...)
	default:
		return append(appendLanes(append(b, "prec("...), l), ')')
	}
}

// readLanes reads letters in order, each at most once: *l>>i is 0 as long as only lower lanes are
// set.
func readLanes(word string, l *Lanes) bool {
	*l = 0
	for _, c := range []byte(word) {
		i := strings.IndexByte(selNames[:4], c)
		if i < 0 || *l>>i != 0 {
			return false
		}
		*l |= 1 << i
	}
	return *l != 0
}

func appendLanes(b []byte, l Lanes) []byte {
	for i := range 4 {
		if l.Has(i) {
			b = append(b, selNames[i])
		}
	}
	return b
}
