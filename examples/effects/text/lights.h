#define LIGHTS 2
#define FIRST 4
#define LIGHT(d, n, i) dp3 d, n, c[i]
