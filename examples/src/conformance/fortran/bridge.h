// From C to the Fortran module and back.
#define STATUS_SIZE (sizeof(MPI_Status) / sizeof(MPI_Fint))

// What Fortran passes where C passes MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE.
static void *one_ignored, *all_ignored;

void ignored_statuses_(void *one, void *all) {
    one_ignored = one;
    all_ignored = all;
}

void __tried_MOD_ignored(void);

static void *status_for(const MPI_Status *status, MPI_Fint *words, int all) {
    if (!one_ignored) {
        __tried_MOD_ignored();
    }
    if (status == (all ? MPI_STATUSES_IGNORE : MPI_STATUS_IGNORE)) {
        return all ? all_ignored : one_ignored;
    }
    for (int i = 0; i < 1 + all; i++) {
        PMPI_Status_c2f(&status[i], words + i * STATUS_SIZE);
    }
    return words;
}

static void status_from(MPI_Status *status, MPI_Fint *words, int all) {
    if (status == (all ? MPI_STATUSES_IGNORE : MPI_STATUS_IGNORE)) {
        return;
    }
    int error = status->MPI_ERROR;
    for (int i = 0; i < 1 + all; i++) {
        PMPI_Status_f2c(words + i * STATUS_SIZE, &status[i]);
    }
    // The error of a single status is undefined, and Open MPI's bindings give what was on their stack.
    if (!all) {
        status->MPI_ERROR = error;
    }
}

// Texts are padded with blanks.
#define TEXT 8192

static void text_for(char *padded, const char *text) {
    memset(padded, ' ', TEXT);
    memcpy(padded, text, strlen(text));
}

static void text_from(char *text, const char *padded) {
    int length = TEXT;
    while (length > 0 && padded[length - 1] == ' ') {
        length--;
    }
    memcpy(text, padded, length);
    text[length] = 0;
}

// A list of texts ends with a blank one.
#define WORD 4096

static void words_for(char (*padded)[WORD], char *const *words) {
    memset(padded, ' ', 2 * WORD);
    for (int i = 0; i < 2 && words[i]; i++) {
        memcpy(padded[i], words[i], strlen(words[i]));
    }
}

// Callbacks as Fortran calls them.
static void fortran_query(MPI_Aint *state, MPI_Fint *words, MPI_Fint *code) {
    MPI_Status status;
    PMPI_Status_f2c(words, &status);
    *code = query(0, &status);
    PMPI_Status_c2f(&status, words);
}
static void fortran_forget(MPI_Aint *state, MPI_Fint *code) { *code = forget(0); }
static void fortran_cancel(MPI_Aint *state, MPI_Fint *complete, MPI_Fint *code) { *code = cancel(0, *complete); }
static void fortran_file_extent(MPI_Fint *type, MPI_Aint *extent, MPI_Aint *state, MPI_Fint *code) {
    *code = file_extent(PMPI_Type_f2c(*type), extent, 0);
}
