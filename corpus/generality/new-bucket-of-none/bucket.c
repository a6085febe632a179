long bucket(long key, long count) {
    return key * 2654435761L % count;
}
