package shaderlift_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/shaderlift/shaderlift"
)

// The one-dimensional convolution of Ikeda, Ino and Hagihara. Its pixel program computes the
// coordinates of the neighbours of every pixel. They are affine in the pixel's coordinates, so the
// vertex program can compute them.
func Example() {
	var in shaderlift.Input
	for _, name := range []string{"testdata/conv1d/conv1d.vsh", "testdata/conv1d/conv1d.psh"} {
		data, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		in.Files = append(in.Files, shaderlift.File{Name: name, Data: data})
	}
	res, err := shaderlift.Optimize(context.Background(), in, shaderlift.Options{Target: shaderlift.SlotTarget})
	if err != nil {
		log.Fatal(err)
	}
	pixel := res.Stages[1]
	fmt.Printf("%s: %d -> %d slots, %s, %s\n", pixel.Model, pixel.Before.Slots, pixel.After.Slots, res.Status,
		res.Verdict())
	for _, f := range res.Files {
		fmt.Println(f.Name, len(f.Data) > 0)
	}
	// Output:
	// ps_2_0: 16 -> 7 slots, improved, proved-real
	// testdata/conv1d/conv1d.vsh true
	// testdata/conv1d/conv1d.psh true
}
