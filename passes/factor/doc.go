// Package factor takes factors out of products and dot products where several share them or
// can be multiplied by theirs together.
package factor
