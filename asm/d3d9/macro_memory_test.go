package d3d9

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestDirectiveMemory checks that a text of 1 MB takes less than 64 MiB, whatever its directives.
func TestDirectiveMemory(t *testing.T) {
	const most, rest = 64 << 20, "\nps_2_0\nmov oC0, "
	many := strings.Repeat("(", 1<<20)
	names := make([]string, 150000)
	for i := range names {
		names[i] = fmt.Sprint("x", i)
	}
	var macros strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&macros, "#define M%d %s\n", i, many[:1000])
	}
	for what, text := range map[string]string{
		"define":     "#define A " + many + rest + "c0\n",
		"used":       "#define A " + many + rest + "A\n",
		"if":         "#if " + many + "\n#endif" + rest + "c0\n",
		"arguments":  "#define A(x) x" + rest + "A(" + many + ")\n",
		"commas":     "#define A(x) x" + rest + "A(" + strings.Repeat(",", 1<<20) + ")\n",
		"parameters": "#define A(" + strings.Join(names, ",") + ") x0" + rest + "c0\n",
		"many":       macros.String() + rest + "c0\n",
		"doubling":   "#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(A(x)))))" + rest + "B(B(c0))\n",
		"statement":  "ps_2_0\nmov oC0, c0 " + many,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parse("a.psh", []byte(text))
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > most {
			t.Errorf("%s: %d MiB are allocated", what, n>>20)
		}
		if err == nil && what != "parameters" {
			t.Errorf("%s: is accepted", what)
		}
	}
}
