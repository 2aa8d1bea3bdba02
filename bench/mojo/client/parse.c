/* Prints the name of each program that MojoShader's GLSL profile refuses, and its first error. */
#include <stdio.h>
#include <stdlib.h>
#include <mojoshader.h>

int main(int count, char **names) {
    for (int i = 1; i < count; i++) {
        FILE *f = fopen(names[i], "rb");
        unsigned char *data = malloc(1 << 24);
        unsigned size = f && data ? (unsigned)fread(data, 1, 1 << 24, f) : 0;
        const MOJOSHADER_parseData *p = MOJOSHADER_parse("glsl120", "main", data, size, 0, 0, 0, 0, 0, 0, 0);
        if (p->error_count)
            printf("%s\t%s\n", names[i], p->errors[0].error);
        MOJOSHADER_freeParseData(p);
        if (f)
            fclose(f);
        free(data);
    }
    return 0;
}
