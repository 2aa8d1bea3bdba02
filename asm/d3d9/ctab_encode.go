package d3d9

import (
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm"
)

// tableFill is the byte with which fxc pads strings to whole words.
const tableFill = 0xab

// EncodeConstantTable writes the words of a constant table, without its mark, in fxc's layout. The
// entries come first, then the name, type and default of each, then the target and the creator. It
// writes equal types and defaults once. Reading and writing a table of fxc gives back its words.
//
// A table without a creator gets a shorter layout: names follow everything else, without gaps. The
// error, an *asm.Diag, names a value that does not fit its field.
func EncodeConstantTable(t *ConstantTable) ([]uint32, error) {
	n := len(t.Constants)
	// The header is filled in last, and the entries as they come.
	w := tableWriter{data: make([]byte, tableHeaderSize+n*constantInfoSize), types: map[string]uint32{},
		defaults: map[string]uint32{}, late: t.Creator == ""}
	for i := range t.Constants {
		w.constant(tableHeaderSize+i*constantInfoSize, &t.Constants[i])
	}
	if w.late {
		for i := range t.Constants {
			name := w.appendString(t.Constants[i].Name) // which may move the data
			binary.LittleEndian.PutUint32(w.data[tableHeaderSize+i*constantInfoSize:], name)
		}
	}
	target := w.appendString(t.Target)
	creator := uint32(0)
	if t.Creator != "" {
		creator = w.appendString(t.Creator)
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

// tableWriter holds the bytes of a table written so far. Its methods append and return offsets.
type tableWriter struct {
	data []byte
	// offsets of types and defaults, by content
	types, defaults map[string]uint32
	// names of constants come last
	late bool
	// the last field that was too large
	diag *asm.Diag
}

// align pads to a whole word.
func (w *tableWriter) align() {
	for len(w.data)%4 != 0 {
		w.data = append(w.data, tableFill)
	}
}

// appendString appends a string with its terminator, unaligned.
func (w *tableWriter) appendString(s string) uint32 {
	at := len(w.data)
	w.data = append(append(w.data, s...), 0)
	return uint32(at)
}

// shared returns the offset of data, and appends data if the table does not have it yet.
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

// appendHalf appends n as a field of 16 bits, and records an error if it does not fit.
func (w *tableWriter) appendHalf(b []byte, name string, n int) []byte {
	if n < 0 || n > 0xffff {
		w.diag = asm.Errorf(asm.Pos{File: "<constant table>"}, "constant-table", "%d of %s does not fit into its field", n,
			name)
	}
	return binary.LittleEndian.AppendUint16(b, uint16(n))
}

// constant fills in the entry at an offset and appends the data that it points to: name, type with
// its members, default.
func (w *tableWriter) constant(at int, c *Constant) {
	name := uint32(0)
	if !w.late {
		name = w.appendString(c.Name)
	}
	info := binary.LittleEndian.AppendUint32(nil, name)
	for _, n := range [...]int{int(c.Set), c.Index, c.Count, int(c.Reserved)} {
		info = w.appendHalf(info, c.Name, n)
	}
	info = binary.LittleEndian.AppendUint32(info,
		w.writeType(&Member{c.Name, c.Class, c.Type, c.Rows, c.Columns, c.Elements, c.Members}))
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

// writeType returns the offset of the type of a constant or a member. It writes the data that the type
// points to first.
func (w *tableWriter) writeType(m *Member) uint32 {
	members := uint32(0)
	if len(m.Members) > 0 {
		var infos []byte
		for i := range m.Members {
			infos = binary.LittleEndian.AppendUint32(infos, w.appendString(m.Members[i].Name))
			infos = binary.LittleEndian.AppendUint32(infos, w.writeType(&m.Members[i]))
		}
		members = w.shared(w.types, infos)
	}
	var data []byte
	for _, n := range [...]int{int(m.Class), int(m.Type), m.Rows, m.Columns, m.Elements, len(m.Members)} {
		data = w.appendHalf(data, m.Name, n)
	}
	data = binary.LittleEndian.AppendUint32(data, members)
	// fxc writes a separate type for each sampler and texture, even if equal ones exist.
	if m.Class == classObject {
		delete(w.types, string(data)) // each object has its own
	}
	return w.shared(w.types, data)
}
