int scale(int by) {
    __asm__ volatile(".byte 0x0f, 0x0f, 0xc1, 0x9e"); /* pfadd mm0, mm1 */
    return by;
}
