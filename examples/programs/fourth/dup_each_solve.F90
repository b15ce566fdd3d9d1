! A library of solvers that duplicates its caller's communicator at the beginning of each solve, so as not to meet the caller's messages, and frees it
! afterwards. Cured: it keeps the duplicate of its first solve.
module solvers
    implicit none
    integer, parameter :: cells = 3000, iterations = 6, steps = 20000
    double precision :: r(0:cells + 1), x(cells)
    integer :: rank, ranks, comm
    logical :: cured, has_duplicate = .false.
contains

    subroutine begin_solve(callers)
        use mpi
        integer, intent(in) :: callers
        integer :: error
        if (.not. has_duplicate) call MPI_Comm_dup(callers, comm, error) ! the library's own
        has_duplicate = .true.
    end subroutine

    subroutine end_solve()
        use mpi
        integer :: error
        if (cured) return
        call MPI_Comm_free(comm, error) ! end of a solve
        has_duplicate = .false.
    end subroutine

    ! Richardson's iteration for a matrix of 4 on the diagonal and -1 beside it.
    subroutine solve(callers, right_hand)
        use mpi
        integer, intent(in) :: callers
        double precision, intent(in) :: right_hand
        integer :: iteration, i, error
        call begin_solve(callers)
        x = 0
        r = right_hand
        do iteration = 1, iterations
            if (rank == 0) then
                call MPI_Sendrecv(r(cells), 1, MPI_DOUBLE_PRECISION, 1, 0, r(cells + 1), 1, & ! border of rank 0
                    MPI_DOUBLE_PRECISION, 1, 0, comm, MPI_STATUS_IGNORE, error)
            else
                call MPI_Sendrecv(r(1), 1, MPI_DOUBLE_PRECISION, 0, 0, r(0), 1, & ! border of rank 1
                    MPI_DOUBLE_PRECISION, 0, 0, comm, MPI_STATUS_IGNORE, error)
            end if
            do i = 1, cells
                x(i) = x(i) + 0.25d0 * r(i)
            end do
            call update_residual()
        end do
        call end_solve()
    end subroutine

    ! What is left after a quarter of it went to x: a quarter of its neighbors'.
    subroutine update_residual()
        double precision :: before, here
        integer :: i
        before = r(0)
        do i = 1, cells
            here = r(i)
            r(i) = 0.25d0 * (before + r(i + 1))
            before = here
        end do
    end subroutine
end module

program caller
    use mpi
    use solvers
    implicit none
    double precision :: began, took, longest
    integer :: step, error, correct, everywhere
    character(len=16) :: argument
    call get_command_argument(1, argument)
    cured = argument == 'cured'
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = MPI_Wtime()
    do step = 1, steps
        call solve(MPI_COMM_WORLD, 2d0)
    end do
    took = MPI_Wtime() - began
    correct = merge(1, 0, abs(x(cells / 2) - 1) < 0.05d0)
    call MPI_Reduce(took, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(correct, everywhere, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,f0.6)', 'loop ', longest
    if (rank == 0) print '(a)', merge('ok   ', 'WRONG', everywhere == 1)
    call MPI_Finalize(error)
    if (everywhere == 0) stop 1
end program
