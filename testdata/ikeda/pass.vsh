// What the kernels of GPGPU have for a vertex program: Ikeda, Ino and Hagihara (IPDPS
// 2006), figure 3.
vs_1_1
dcl_position v0
dcl_texcoord v1
mov oPos, v0
mov oT0.xy, v1
