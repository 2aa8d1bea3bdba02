//go:build !unix

package regular

const nonblock = 0 // files include no named pipes
