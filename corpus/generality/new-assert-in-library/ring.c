#include <assert.h>
#include <stdlib.h>

void *ring_new(int slots) {
    assert(slots > 0);
    return calloc((size_t)slots, 8);
}
