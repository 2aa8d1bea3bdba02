// A mesh in the light: what the pixel program is given are the normal, the place and the way to the eye.
vs_3_0
dcl_position v0
dcl_texcoord v1
dcl_normal v2
dcl_tangent v3
dcl_position o0
dcl_texcoord o1.xy
dcl_texcoord1 o2.xyz
dcl_texcoord2 o3.xyz
dcl_texcoord3 o4.xyz
m4x4 o0, v0, c0
mov o1.xy, v1
mov o2.xyz, v2
mov o3.xyz, v0
add o4.xyz, c4, -v0
