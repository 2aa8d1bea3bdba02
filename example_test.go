package shaderlift_test

import (
	"context"
	"fmt"
	"log"

	"github.com/shaderlift/shaderlift"
)

// The one-dimensional convolution of Ikeda, Ino and Hagihara. Its pixel program computes the
// coordinates of the neighbours of every pixel. They are affine in the pixel's coordinates, so the
// vertex program can compute them.
func Example() {
	in, err := shaderlift.ReadFiles("testdata/conv1d/conv1d.vsh", "testdata/conv1d/conv1d.psh")
	if err != nil {
		log.Fatal(err)
	}
	res, err := shaderlift.Optimize(context.Background(), in, shaderlift.Options{Target: shaderlift.SlotTarget})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Status, res.Verdict(), res.Costs()[0])
	for _, f := range res.Files {
		fmt.Println(f.Name, len(f.Data) > 0)
	}
	// Output:
	// improved proved-real pixel slots 16 -> 7
	// testdata/conv1d/conv1d.vsh true
	// testdata/conv1d/conv1d.psh true
}
