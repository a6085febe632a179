#include <stdlib.h>
#include <string.h>

static char *text;
static size_t used, room;

void log_add(const char *line) {
    if (used + 8 > room) {
        room += 256;
        text = realloc(text, room);
    }
    strcpy(text + used, line);
    used += strlen(line);
}
