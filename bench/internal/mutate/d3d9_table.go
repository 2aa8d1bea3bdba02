package mutate

import "encoding/binary"

// d3d9TableKinds change the constant table, by which applications find constants and samplers by name. The
// table is a comment block of the byte code. It consists of the mark CTAB and D3DXSHADER_CONSTANTTABLE with
// its D3DXSHADER_CONSTANTINFO and D3DXSHADER_TYPEINFO (d3dx9shader.h). No execution reads it, so the judge
// must compare it.
var d3d9TableKinds = []Kind{
	{Name: "table-dropped", Declared: true, Doc: "the constant table is removed", d3d9: func(m *d3d9Site) bool {
		if !m.statement().IsConstantTable() {
			return false
		}
		m.remove()
		return true
	}},
	{Name: "table-entry-dropped", Declared: true, Doc: "the last entry of the constant table is left out",
		d3d9: entryOf(func(m *d3d9Site, t *tableBytes, e int) bool {
			n := t.u32(tableCount)
			t.put32(tableCount, n-1)
			return true
		})},
	// This changes the case of the first letter.
	{Name: "table-name", Declared: true, Doc: "a parameter has another name",
		d3d9: entryOf(func(m *d3d9Site, t *tableBytes, e int) bool {
			name := t.u32(e) + tableStart
			if int(name) >= len(t.b) || t.b[name] == 0 {
				return false
			}
			t.b[name] ^= 0x20
			return true
		})},
	{Name: "table-registers-exchanged", Declared: true, Doc: "two parameters of a set change registers",
		d3d9: entryOf(func(m *d3d9Site, t *tableBytes, e int) bool {
			o := t.entry(m.r.IntN(int(t.u32(tableCount))))
			a, b := t.u16(e+entryIndex), t.u16(o+entryIndex)
			if t.u16(e+entrySet) != t.u16(o+entrySet) || a == b || t.u16(e+entryCount) != t.u16(o+entryCount) {
				return false
			}
			t.put16(e+entryIndex, b)
			t.put16(o+entryIndex, a)
			return true
		})},
	{Name: "table-index", Declared: true, Doc: "a parameter is in the next register",
		d3d9: entryOf(func(_ *d3d9Site, t *tableBytes, e int) bool {
			t.put16(e+entryIndex, t.u16(e+entryIndex)+1)
			return true
		})},
	{Name: "table-count", Declared: true, Doc: "a parameter has one register more, or less",
		d3d9: entryOf(func(m *d3d9Site, t *tableBytes, e int) bool {
			n := t.u16(e + entryCount)
			if n > 1 && m.r.IntN(2) == 0 {
				n -= 2
			}
			if t.u32(e+entryDefault) != 0 && n >= t.u16(e+entryCount) {
				return false // too few words for the default
			}
			t.put16(e+entryCount, n+1)
			return true
		})},
	{Name: "table-type", Declared: true, Doc: "a parameter is a matrix of the other order, an int or a bool",
		d3d9: entryOf(func(m *d3d9Site, t *tableBytes, e int) bool {
			at := int(t.u32(e+entryType)) + tableStart
			if at+4 > len(t.b) {
				return false
			}
			switch class, typ := t.u16(at), t.u16(at+2); {
			case class == 2 || class == 3: // D3DXPC_MATRIX_ROWS and _COLUMNS
				t.put16(at, class^1)
			case typ == 3: // D3DXPT_FLOAT
				t.put16(at+2, uint16(1+m.r.IntN(2)))
			default:
				return false
			}
			return true
		})},
	{Name: "table-default", Declared: true, Doc: "a word of a parameter's default is another, or the default is lost",
		d3d9: entryOf(func(m *d3d9Site, t *tableBytes, e int) bool {
			at := int(t.u32(e + entryDefault))
			if at == 0 || at+tableStart+4 > len(t.b) {
				return false
			}
			if m.r.IntN(3) == 0 {
				t.put32(e+entryDefault, 0)
			} else {
				t.put32(at+tableStart, t.u32(at+tableStart)^0x00800000)
			}
			return true
		})},
}

// Byte offsets. Offsets in the table count from its beginning behind the word of the mark; adding
// tableStart gives offsets in tableBytes.
const (
	tableStart = 4
	tableCount = tableStart + 12 // D3DXSHADER_CONSTANTTABLE.Constants: number of entries
	tableInfo  = tableStart + 16 // D3DXSHADER_CONSTANTTABLE.ConstantInfo: offset of the entries
	entrySize  = 20              // of D3DXSHADER_CONSTANTINFO

	// RegisterSet, RegisterIndex and RegisterCount have 16 bits; TypeInfo, DefaultValue and, at offset 0,
	// Name have 32.
	entrySet, entryIndex, entryCount, entryType, entryDefault = 4, 6, 8, 12, 16
)

// tableBytes is a comment block as bytes, with accessors by offset; byte code is little endian.
type tableBytes struct{ b []byte }

func (t *tableBytes) u16(at int) uint16      { return binary.LittleEndian.Uint16(t.b[at:]) }
func (t *tableBytes) u32(at int) uint32      { return binary.LittleEndian.Uint32(t.b[at:]) }
func (t *tableBytes) put16(at int, v uint16) { binary.LittleEndian.PutUint16(t.b[at:], v) }
func (t *tableBytes) put32(at int, v uint32) { binary.LittleEndian.PutUint32(t.b[at:], v) }
func (t *tableBytes) entry(i int) (at int)   { return int(t.u32(tableInfo)) + tableStart + i*entrySize }

// entryOf changes a random entry, at offset e, of a copy of the table. It keeps the change only if the
// table is still readable.
func entryOf(change func(m *d3d9Site, t *tableBytes, e int) bool) func(*d3d9Site) bool {
	return func(m *d3d9Site) bool {
		in := m.statement()
		if !in.IsConstantTable() {
			return false
		}
		if table, err := m.p.ConstantTable(); err != nil || len(table.Constants) == 0 {
			return false
		}
		t := &tableBytes{}
		for _, w := range in.Comment {
			t.b = binary.LittleEndian.AppendUint32(t.b, w)
		}
		if !change(m, t, t.entry(m.r.IntN(int(t.u32(tableCount))))) {
			return false
		}
		words := make([]uint32, len(in.Comment))
		for i := range words {
			words[i] = t.u32(4 * i)
		}
		old := in.Comment
		in.Comment = words
		if _, err := m.p.ConstantTable(); err != nil {
			in.Comment = old
			return false
		}
		return true
	}
}
