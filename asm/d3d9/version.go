package d3d9

// versions are the existing models, with their spelling after the stage. The compiler's profiles
// 2_a and 2_b are the model 2_x, whose version token is 2.1; 1_0 occurs in files from before the
// first release. The software versions (D3DXGetVertexShaderProfile's vs_2_sw) have the minor number
// 255.
//
// Several names may denote one model; the first of them is the canonical one.
var versions = []struct {
	name          string
	major, minor  uint8
	vertex, pixel bool
}{
	{"1_0", 1, 0, true, true},
	{"1_1", 1, 1, true, true},
	{"1_2", 1, 2, false, true},
	{"1_3", 1, 3, false, true},
	{"1_4", 1, 4, false, true},
	{"2_0", 2, 0, true, true},
	{"2_x", 2, 1, true, true},
	{"2_a", 2, 1, true, true},
	{"2_b", 2, 1, false, true},
	{"2_sw", 2, 0xff, true, true},
	{"3_0", 3, 0, true, true},
	{"3_sw", 3, 0xff, true, true},
}

// known reports whether the model m exists.
func (m Model) known() bool {
	for _, v := range versions {
		if v.major == m.Major && v.minor == m.Minor && (v.vertex && m.Stage == Vertex || v.pixel && m.Stage == Pixel) {
			return true
		}
	}
	return false
}

// modelOf returns the model of a version token: the stage in its upper half, major and minor number
// in the lower half (MSDN, "Version Token").
func modelOf(tok uint32) (Model, bool) {
	m := Model{Major: uint8(tok >> 8), Minor: uint8(tok)}
	switch tok >> 16 {
	case 0xfffe:
	case 0xffff:
		m.Stage = Pixel
	default:
		return m, false
	}
	return m, m.known()
}

// scanVersion reads a version at the start of s, in either spelling (vs_1_1, ps.2.0), in any case.
// n is the length of the word, or 0 if it does not look like a version; ok is false if it names no
// model. Only the stage and the character after it are needed to look like a version, so that
// ps_9_9 is reported as unknown.
func scanVersion(s string) (m Model, n int, ok bool) {
	if len(s) < 4 || !isVersionMark(s[2]) {
		return m, 0, false
	}
	switch lower(s[:2]) {
	case "vs":
	case "ps":
		m.Stage = Pixel
	default:
		return m, 0, false
	}
	var name []byte
	for n = 3; n < len(s) && (isWord(s[n]) || s[n] == '.'); n++ {
		c := lowerByte(s[n])
		if c == '.' {
			c = '_'
		}
		name = append(name, c)
	}
	for _, v := range versions {
		if v.name == string(name) && (v.vertex && m.Stage == Vertex || v.pixel && m.Stage == Pixel) {
			m.Major, m.Minor = v.major, v.minor
			return m, n, true
		}
	}
	return m, n, false
}

// isVersionMark reports whether c may separate a stage from its numbers.
func isVersionMark(c byte) bool { return c == '_' || c == '.' }
