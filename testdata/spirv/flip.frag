#version 310 es
// A picture that a uniform may turn upside down.
precision highp float;
layout(std140, set=0, binding=0) uniform Frame { float yScale; float alpha; } frame;
layout(set=0, binding=1) uniform sampler2D image;
layout(location=0) in vec2 coords;
layout(location=0) out vec4 color;
vec2 remap(vec2 uv, float scale) {
  if (scale < 0.0) {
    uv.y = 1.0 - uv.y;
  }
  return uv;
}
void main() { color = texture(image, remap(coords, frame.yScale)) * frame.alpha; }
