package input

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
)

// Constant is a promise of the application about the value of a constant register, or of some of its
// components, in every run of the program. ParseConstant makes it.
type Constant struct {
	text string
	file string // cb, c, i, b or spec
	// Stage is vs or ps, or empty if the text names none.
	Stage string
	Reg   ir.Reg
	Comps []uint8 // parallel to Words
	Words []uint32
	// SpecID is the number of a specialization constant of SPIR-V. Its type is known only with a module, see
	// [Constant.Specialization].
	SpecID uint32
}

// String returns the source text of c.
func (c Constant) String() string { return c.text }

// MarshalText writes the source text of c.
func (c Constant) MarshalText() ([]byte, error) { return []byte(c.text), nil }

// UnmarshalText reads the syntax of ParseConstant.
func (c *Constant) UnmarshalText(text []byte) (err error) {
	*c, err = ParseConstant(string(text))
	return err
}

// RegisterName returns the text before the equals sign.
func (c Constant) RegisterName() string {
	name, _, _ := strings.Cut(c.text, "=")
	return name
}

// In reports whether c may be for a program of a stage.
func (c Constant) In(stage d3d9.Stage) bool {
	return c.Stage == "" || (c.Stage == "vs") == (stage == d3d9.Vertex)
}

// InKernel reports whether the register exists only in kernels.
func (c Constant) InKernel() bool { return c.file == "cb" }

// InModule reports whether c is a specialization constant of SPIR-V.
func (c Constant) InModule() bool { return c.file == "spec" }

// constantName matches the text before the equals sign.
var constantName = regexp.MustCompile(`^(?:(vs|ps):)?(?:(cb)([0-9]{1,2})\[([0-9]{1,4})\]|([cib])([0-9]{1,4})|(spec)([0-9]{1,10}))(?:\.([xyzw]{1,4}))?$`)

// Limits of register numbers, over all models.
const (
	maxBuffer   = 16
	maxElement  = 1 << 12
	maxFloats   = 1 << 13
	maxSwitches = 16 // i# and b#
)

// ParseConstant reads NAME=VALUES, as package shaderlift documents it. The error is a diagnostic.
func ParseConstant(text string) (Constant, error) {
	bad := func(code asm.Code, format string, args ...any) (Constant, error) {
		return Constant{}, asm.Errorf(asm.Pos{File: "<options>"}, code, "%s: %s", text, fmt.Sprintf(format, args...))
	}
	name, list, ok := strings.Cut(text, "=")
	m := constantName.FindStringSubmatch(strings.TrimSpace(name))
	if !ok || m == nil {
		return bad("bad-constant", "want NAME=VALUES, such as cb0[0].x=256, ps:c5=1,0,0,1, vs:i0=4 or spec3=16")
	}
	c := Constant{text: strings.ReplaceAll(text, " ", ""), Stage: m[1], file: m[2] + m[5] + m[7]}
	number := func(digits string) int {
		n, _ := strconv.Atoi(digits) // constantName admits digits only
		return n
	}
	n := number(m[6])
	switch c.file {
	case "spec":
		id, err := strconv.ParseUint(m[8], 10, 32)
		if err != nil || m[9] != "" || c.Stage != "" || strings.Contains(list, ",") {
			return bad("bad-constant", "want spec and the SpecId of a scalar, such as spec3=16")
		}
		c.SpecID = uint32(id)
		return c, nil
	case "cb":
		buffer, element := number(m[3]), number(m[4])
		if buffer >= maxBuffer || element >= maxElement || c.Stage != "" {
			return bad("bad-constant", "kernels have cb0[0] to cb%d[%d]", maxBuffer-1, maxElement-1)
		}
		c.Reg = amdil.ComponentReg(il.Reg{File: il.ConstBuf, Num: uint16(buffer)}, uint32(element), 0)
	case "c":
		c.Reg = ir.Reg{File: ir.File(d3d9.Const), Index: uint16(n)}
		if n >= maxFloats {
			return bad("bad-constant", "unknown register")
		}
	default:
		c.Reg = ir.Reg{File: ir.File(d3d9.ConstInt), Index: uint16(n)}
		if c.file == "b" {
			c.Reg.File = ir.File(d3d9.ConstBool)
		}
		if n >= maxSwitches {
			return bad("bad-constant", "unknown register")
		}
	}
	values := strings.Split(list, ",")
	comps := m[9]
	if comps == "" {
		comps = "xyzw"[:min(len(values), 4)]
	}
	if len(values) != len(comps) || c.file == "b" && (len(values) != 1 || m[9] != "") {
		return bad("bad-constant", "%d values for %d components", len(values), len(comps))
	}
	for i, v := range values {
		comp := uint8(strings.IndexByte("xyzw", comps[i]))
		w, err := c.parseWord(strings.TrimSpace(v), comp)
		if err != nil {
			return bad("bad-constant", "%v", err)
		}
		if strings.IndexByte(comps[:i], comps[i]) >= 0 {
			return bad("bad-constant", "%c is named twice", comps[i])
		}
		c.Comps, c.Words = append(c.Comps, comp), append(c.Words, w)
	}
	return c, nil
}

// parseWord parses a value of component comp into the word in the register.
func (c *Constant) parseWord(v string, comp uint8) (uint32, error) {
	switch c.file {
	case "b":
		b, err := strconv.ParseBool(v)
		if err != nil {
			return 0, fmt.Errorf("%q is not true or false", v)
		}
		if b {
			return 1, nil
		}
		return 0, nil
	case "i":
		// The limits of Direct3D 9 for trip count, initial value and step of a loop.
		limits := [4][2]int64{{0, 255}, {0, 255}, {-128, 127}, {math.MinInt32, math.MaxInt32}}[comp]
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil || n < limits[0] || n > limits[1] {
			return 0, fmt.Errorf("%q is not an integer from %d to %d", v, limits[0], limits[1])
		}
		return uint32(n), nil
	}
	if digits, ok := strings.CutPrefix(strings.ToLower(v), "0x"); ok {
		w, err := strconv.ParseUint(digits, 16, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is not a 32-bit word", v)
		}
		return uint32(w), nil
	}
	if digits, ok := strings.CutSuffix(v, "i"); ok && c.InKernel() {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < math.MinInt32 || n > math.MaxUint32 {
			return 0, fmt.Errorf("%q is not a 32-bit integer", v)
		}
		return uint32(n), nil
	}
	x, err := strconv.ParseFloat(v, 32)
	// Folding rejects infinities and NaNs, so a promise of one would gain nothing.
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, fmt.Errorf("%q is not a finite float", v)
	}
	return math.Float32bits(float32(x)), nil
}
