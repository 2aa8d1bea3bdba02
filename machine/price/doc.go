// Package price compares versions of a program without simulating each: [Predict] follows
// a few wavefronts and adds up what they keep the units of the chip busy for, with fetches
// as the simulation of one version measured them ([Measure]). [StandardLaunch] is what
// kernels are compared on where nothing is known of their own launches.
package price
