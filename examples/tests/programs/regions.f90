! Rank 0 sends rank 1 three messages in a region inside another, and one outside.
program regions
    use mpi
    use overhear
    implicit none
    integer :: ierr, rank, step, value
    character(len=8) :: name = "inner"

    call overhear_begin("too early")
    call MPI_Init(ierr)
    call overhear_end()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call overhear_begin("outer")
    do step = 1, 3
        call overhear_begin(name)
        call exchange()
        call overhear_end()
    end do
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call overhear_end()
    call exchange()
    if (rank == 0) print '(a)', "ok"
    call MPI_Finalize(ierr)

contains

    subroutine exchange()
        value = rank
        if (rank == 0) call MPI_Send(value, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
        if (rank == 1) call MPI_Recv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end subroutine
end program
