// What late_parts.c loads first: it has no slot for MPI itself.
int ask_needed(int times);

int ask_of_needed(int times)
{
    return ask_needed(times);
}
