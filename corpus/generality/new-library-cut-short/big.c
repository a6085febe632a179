int table[1000000] = {1};
int first(void) { return table[0]; }
