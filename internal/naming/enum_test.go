package naming

import (
	"fmt"
	"testing"
)

type colour uint8

var names = []string{"", "red", "green", "blue"}

func Example() {
	var c colour
	fmt.Println(Unmarshal(names, &c, []byte("green"), "colour"), c)
	fmt.Println(Unmarshal(names, &c, []byte("pink"), "colour"))
	// Output:
	// <nil> 2
	// unknown colour "pink" (want red, green or blue)
}

func TestRoundTrip(t *testing.T) {
	for want := colour(1); int(want) < len(names); want++ {
		text, err := Marshal(names, want)
		if err != nil || string(text) != String(names, want) {
			t.Fatalf("%d: %s, %v", want, text, err)
		}
		var got colour
		if err := Unmarshal(names, &got, text, "colour"); err != nil || got != want {
			t.Errorf("%s is %d, not %d: %v", text, got, want, err)
		}
	}
	var c colour
	if Unmarshal(names, &c, nil, "colour") == nil {
		t.Error("no name names a value")
	}
	for _, none := range []colour{0, 4, 255} {
		if text, err := Marshal(names, none); err == nil {
			t.Errorf("%d has the name %q", none, text)
		}
	}
	if s := String(names, colour(9)); s != "naming.colour(9)" {
		t.Error(s)
	}
}
