// What loader_lock.c loads: its constructor runs while the loader's lock is held.
void hold_until_done(void);

__attribute__((constructor)) static void loaded(void)
{
    hold_until_done();
}
