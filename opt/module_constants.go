package opt

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/opt/input"
)

// readModules reads the modules of in and gives the specialization constants of o.Host.Constants their values. It notes
// them in res, unless that is nil: an output that is verified may lack a constant.
func (o *Options) readModules(in Input, res *Result) ([]*spirv.Module, error) {
	list, err := input.ReadModules(in)
	if err != nil || len(o.Host.Constants) == 0 {
		return list, err
	}
	given := map[uint32]string{} // texts of values, by SpecId
	for _, c := range o.Host.Constants {
		_, value, _ := strings.Cut(c.String(), "=")
		switch old, ok := given[c.SpecID]; {
		case !c.InModule():
			return nil, constantError("wrong-constant", "%s: a SPIR-V module has specialization constants, such as spec3=16", c)
		case ok && old != value:
			return nil, constantError("constant-conflict", "%s: it has another value too", c)
		}
		given[c.SpecID] = value
	}
	read := map[uint32]bool{}
	for i, m := range list {
		words := map[spirv.ID]uint32{}
		for _, c := range m.SpecConstants() {
			value, ok := given[c.SpecID]
			if !ok {
				continue
			}
			if words[c.ID], err = specWord(c, value); err != nil {
				return nil, constantError("bad-constant", "spec%d=%s: %v", c.SpecID, value, err)
			}
			read[c.SpecID] = true
		}
		list[i] = m.Specialize(words)
	}
	if res != nil {
		for _, c := range o.Host.Constants {
			if !read[c.SpecID] {
				res.remark(asm.Pos{}, "constant-unread", c.RegisterName()+" is not read")
			} else if !slices.ContainsFunc(res.Assumes, func(a input.Constant) bool { return a.SpecID == c.SpecID }) {
				res.Assumes = append(res.Assumes, c)
				res.remark(asm.Pos{}, "constants", fmt.Sprintf("the result assumes that the application sets %s", c))
			}
		}
	}
	return list, nil
}

// specWord parses the value of a specialization constant: a truth value, an integer, a float, or a word in hexadecimal.
func specWord(c spirv.SpecConstant, value string) (uint32, error) {
	if c.Type == spirv.OpTypeBool {
		b, err := strconv.ParseBool(value)
		if err != nil {
			return 0, fmt.Errorf("%q is not true or false", value)
		}
		if b {
			return 1, nil
		}
		return 0, nil
	}
	if c.Width != 32 {
		return 0, fmt.Errorf("the constant has %d bits; only 32 are supported", c.Width)
	}
	if c.Type == spirv.OpTypeFloat && !strings.HasPrefix(strings.ToLower(value), "0x") {
		x, err := strconv.ParseFloat(value, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is not a float", value)
		}
		return math.Float32bits(float32(x)), nil
	}
	n, err := strconv.ParseInt(value, 0, 64)
	if err != nil || n < math.MinInt32 || n > math.MaxUint32 {
		return 0, fmt.Errorf("%q is not a 32-bit integer", value)
	}
	return uint32(n), nil
}
