#version 310 es
// A weighted sum of taps around the position of a fragment in a part of an atlas.
precision highp float;
precision highp int;
layout(std140, set=0, binding=0) uniform Frame { mat4 mvp; vec2 size; vec2 atlas; vec4 taps[5]; } frame;
layout(set=0, binding=1) uniform sampler2D image;
layout(location=0) in vec2 coords;
layout(location=0) out vec4 color;
void main() {
  vec2 center = (coords * frame.size + frame.atlas) / frame.size;
  vec4 total = vec4(0.0);
  for (int i = 0; i < 5; i++) {
    total += texture(image, center + frame.taps[i].xy) * frame.taps[i].z;
  }
  color = total;
}
