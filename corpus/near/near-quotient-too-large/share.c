int share(int whole, int parts) {
    volatile int divisor = parts;
    return whole / divisor;
}
