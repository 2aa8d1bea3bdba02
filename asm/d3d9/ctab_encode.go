package d3d9

import (
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm"
)

// tableFill is what fxc puts between the parts of a table: padding after strings, to
// words.
const tableFill = 0xab

// EncodeConstantTable writes the words of a constant table, without its mark, as fxc
// lays them out: the entries, then name, type and default of each, what was there
// before not again, then the target and the creator. Reading and writing a table of
// fxc's gives back its words.
//
// A table that names no creator is written in fewer bytes: names stand behind
// everything else, without gaps. The error, an *asm.Diag, names what has no room in its
// field.
func EncodeConstantTable(t *ConstantTable) ([]uint32, error) {
	n := len(t.Constants)
	// The header is filled in last, and the entries as they come.
	w := tableWriter{data: make([]byte, tableHeaderSize+n*constantInfoSize), types: map[string]uint32{}, defaults: map[string]uint32{}, late: t.Creator == ""}
	for i := range t.Constants {
		w.constant(tableHeaderSize+i*constantInfoSize, &t.Constants[i])
	}
	if w.late {
		for i := range t.Constants {
			name := w.str(t.Constants[i].Name) // which may move the data
			binary.LittleEndian.PutUint32(w.data[tableHeaderSize+i*constantInfoSize:], name)
		}
	}
	target := w.str(t.Target)
	creator := uint32(0)
	if t.Creator != "" {
		creator = w.str(t.Creator)
	}
	w.align()
	for i, v := range [...]uint32{tableHeaderSize, creator, t.Version, uint32(n), tableHeaderSize, t.Flags, target} {
		binary.LittleEndian.PutUint32(w.data[4*i:], v)
	}
	if w.diag != nil {
		return nil, w.diag
	}
	words := make([]uint32, len(w.data)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(w.data[4*i:])
	}
	return words, nil
}

// tableWriter is the bytes of a table so far. Its methods append and return offsets.
type tableWriter struct {
	data []byte
	// where types and defaults are, by content
	types, defaults map[string]uint32
	// names of constants come last
	late bool
	// the last field that was too large
	diag *asm.Diag
}

// align fills up to a whole word.
func (w *tableWriter) align() {
	for len(w.data)%4 != 0 {
		w.data = append(w.data, tableFill)
	}
}

// str appends a string with its terminator, wherever the last one ended.
func (w *tableWriter) str(s string) uint32 {
	at := len(w.data)
	w.data = append(append(w.data, s...), 0)
	return uint32(at)
}

// shared is where data is, which is appended unless it is there already.
func (w *tableWriter) shared(known map[string]uint32, data []byte) uint32 {
	if at, ok := known[string(data)]; ok {
		return at
	}
	w.align()
	at := uint32(len(w.data))
	w.data = append(w.data, data...)
	known[string(data)] = at
	return at
}

// half appends n as a field of 16 bits, and notes if it does not fit.
func (w *tableWriter) half(b []byte, name string, n int) []byte {
	if n < 0 || n > 0xffff {
		w.diag = asm.Errorf(asm.Pos{File: "<constant table>"}, "constant-table", "%d of %s does not fit into its field", n, name)
	}
	return binary.LittleEndian.AppendUint16(b, uint16(n))
}

// constant fills in the entry at an offset and appends what it points to: name, type
// with its members, default.
func (w *tableWriter) constant(at int, c *Constant) {
	name := uint32(0)
	if !w.late {
		name = w.str(c.Name)
	}
	info := binary.LittleEndian.AppendUint32(nil, name)
	for _, n := range [...]int{int(c.Set), c.Index, c.Count, int(c.Reserved)} {
		info = w.half(info, c.Name, n)
	}
	info = binary.LittleEndian.AppendUint32(info, w.typ(&Member{c.Name, c.Class, c.Type, c.Rows, c.Columns, c.Elements, c.Members}))
	value := uint32(0)
	if c.Default != nil {
		var data []byte
		for _, word := range c.Default {
			data = binary.LittleEndian.AppendUint32(data, word)
		}
		value = w.shared(w.defaults, data)
	}
	copy(w.data[at:], binary.LittleEndian.AppendUint32(info, value))
}

// typ is where the type of a constant or a member is; what it points to comes before
// it.
func (w *tableWriter) typ(m *Member) uint32 {
	members := uint32(0)
	if len(m.Members) > 0 {
		var infos []byte
		for i := range m.Members {
			infos = binary.LittleEndian.AppendUint32(infos, w.str(m.Members[i].Name))
			infos = binary.LittleEndian.AppendUint32(infos, w.typ(&m.Members[i]))
		}
		members = w.shared(w.types, infos)
	}
	var data []byte
	for _, n := range [...]int{int(m.Class), int(m.Type), m.Rows, m.Columns, m.Elements, len(m.Members)} {
		data = w.half(data, m.Name, n)
	}
	data = binary.LittleEndian.AppendUint32(data, members)
	// fxc writes each sampler and texture its own type, though equal ones are there.
	if m.Class == classObject {
		delete(w.types, string(data)) // each object has its own
	}
	return w.shared(w.types, data)
}
