#version 310 es
// The maximum of three taps, at offsets that uniforms give.
precision highp float;
layout(std140, set=0, binding=0) uniform Frame { mat4 mvp; vec2 offset; float radius; } frame;
layout(set=0, binding=1) uniform sampler2D image;
layout(location=0) in vec2 coords;
layout(location=0) out vec4 color;
void main() {
  vec2 shift = frame.offset * frame.radius;
  vec4 result = texture(image, coords - shift);
  result = max(result, texture(image, coords));
  color = max(result, texture(image, coords + shift));
}
