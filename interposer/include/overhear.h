/* Names parts of a program's run, for overhear.
 *
 *     overhear_begin("solve");
 *     ...
 *     overhear_end();
 *
 * Regions may lie inside each other, and belong to the thread that enters them. Nothing has to be linked: where the program is
 * not recorded, nothing happens. Nothing is recorded before MPI is initialized, nor where only totals are.
 */
#ifndef OVERHEAR_H
#define OVERHEAR_H

#ifdef __cplusplus
extern "C" {
#endif

/* What the recorder defines; null without it. A linker of programs that are not position-independent leaves that open only where
   the address is read from a table, which noplt is for. */
extern void (overhear_begin)(const char *name) __attribute__((weak, noplt));
extern void (overhear_end)(void) __attribute__((weak, noplt));

#ifdef __cplusplus
}
#endif

/* Enters a region, whose name ends with a zero. */
#define overhear_begin(name) ((overhear_begin) ? (overhear_begin)(name) : (void)0)
/* Leaves the region that this thread has entered last. */
#define overhear_end() ((overhear_end) ? (overhear_end)() : (void)0)

#endif
