// Runs under `main OUT init|init_thread|abort ignore|look [FUNCTION ...]`: results go to OUT.RANK, and statuses are
// looked at or ignored; without names, all functions are tried.
static int wanted(const char *name, int names, char **named) {
    for (int i = 0; i < names; i++) {
        if (strcmp(named[i], name) == 0) {
            return 1;
        }
    }
    return names == 0;
}

static int child(void) {
    MPI_Comm parent;
    PMPI_Init(0, 0);
    PMPI_Comm_get_parent(&parent);
    PMPI_Comm_disconnect(&parent);
    return PMPI_Finalize();
}

int main(int argc, char **argv) {
    if (strcmp(argv[1], "child") == 0) {
        return child();
    }
    int threaded = strcmp(argv[2], "init_thread") == 0, provided = 0;
#line 1 "main.h"
    int code = threaded ? CALL(Init_thread)(&argc, &argv, MPI_THREAD_SINGLE, &provided) : CALL(Init)(&argc, &argv);
#line 1 "around.c"
    char name[4096];
    self = argv[0];
    ignore = strcmp(argv[3], "ignore") == 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &me);
    snprintf(name, sizeof name, "%s.%d", argv[1], me);
    out = fopen(name, "w");
    // A line that the process dies in is there.
    setvbuf(out, 0, _IONBF, 0);
    fprintf(out, "%s returned %d provided %d\n", threaded ? "MPI_Init_thread" : "MPI_Init", code, provided);
    if (strcmp(argv[2], "abort") == 0) {
        PMPI_Barrier(MPI_COMM_WORLD);
        if (me == 0) {
            CALL(Abort)(MPI_COMM_WORLD, 7);
        }
        // Until the launcher ends it: under MPICH 5, MPI_Abort comes back.
        pause();
    }
    begin();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (wanted(functions[i].name, argc - 4, argv + 4)) {
            PMPI_Barrier(world);
            callbacks = 0;
            functions[i].call();
            fprintf(out, "\n");
        }
    }
    end();
    fprintf(out, "MPI_Finalize");
#line 1 "main.h"
    fprintf(out, " returned %d\n", CALL(Finalize)());
    return 0;
}
