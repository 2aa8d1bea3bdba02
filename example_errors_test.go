package shaderlift_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/passes"
)

// errorText returns the text of an error of this package.
func errorText(err error) string {
	var fault *shaderlift.Fault
	var d *asm.Diag
	switch {
	case errors.As(err, &fault): // of a pass, or of shaderlift
		return fault.Error()
	case errors.Is(err, shaderlift.ErrFit):
		return "too large for its model"
	case errors.As(err, &d): // of an input or an option
		return fmt.Sprintf("line %d: %s", d.Pos.Line, d.Code)
	}
	return err.Error()
}

// The kinds of errors.
func Example_errors() {
	wrong := &passes.Pass{Name: "wrong", Run: func(*passes.Ctx, *passes.Unit) error { panic("not written yet") }}
	o := shaderlift.Options{Pipeline: "wrong", Strict: true, Hooks: shaderlift.Hooks{Passes: []*passes.Pass{wrong}}}
	for _, text := range []string{"add r0, c0\n", strings.Repeat("rcp r0.x, r0.x\n", 65), ""} {
		in := shaderlift.Input{Files: []shaderlift.File{{Name: "a.psh",
			Data: []byte("ps_2_0\nmov r0, c0\n" + text + "mov oC0, r0\n")}}}
		_, err := shaderlift.Optimize(context.Background(), in, o)
		fmt.Println(errorText(err))
	}
	// Output:
	// line 3: operand-count
	// too large for its model
	// internal fault on a: a: pass wrong failed at step 0: panic: not written yet
}
