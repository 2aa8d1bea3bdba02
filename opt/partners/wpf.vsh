// What WPF draws an effect with: a rectangle, and the coordinates of the input image. WPF draws programs of ps_3_0
// with the same program for vs_3_0.
vs_2_0
dcl_position v0
dcl_texcoord v1
mov oPos, v0
mov oT0.xy, v1
