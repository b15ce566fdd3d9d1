/* Names parts of a program's run, for overhear.
 *
 *     overhear_begin("solve");
 *     ...
 *     overhear_end();
 *
 * Regions may be nested, and belong to the thread that enters them. Nothing has to be linked: if the program is not
 * recorded, the calls do nothing. Regions are recorded once MPI is initialized, and only in traces, not in profiles.
 */
#ifndef OVERHEAR_H
#define OVERHEAR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by the recorder; null without it. In a program that is not position-independent the linker settles a weak
   address at link time, unless it is read from a table: hence noplt. */
extern void (overhear_begin)(const char *name) __attribute__((weak, noplt));
extern void (overhear_end)(void) __attribute__((weak, noplt));

#ifdef __cplusplus
}
#endif

/* Enters a region, whose name ends with a zero. */
#define overhear_begin(name) ((overhear_begin) ? (overhear_begin)(name) : (void)0)
/* Leaves the region that this thread entered last. */
#define overhear_end() ((overhear_end) ? (overhear_end)() : (void)0)

#endif
