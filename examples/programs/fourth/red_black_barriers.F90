! Relaxation in red and black on a small grid, with a barrier after each color, though the exchange of the borders orders the colors already. Cured:
! without the barriers.
module colors
    implicit none
    integer, parameter :: rows = 48, columns = 40, steps = 100000
    double precision :: u(0:rows + 1, 0:columns + 1)
    integer :: rank, ranks
    logical :: cured
contains

    subroutine relax(color)
        integer, intent(in) :: color
        integer :: i, j
        do j = 1, columns
            do i = 1 + mod(j + color, 2), rows, 2
                u(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
            end do
        end do
    end subroutine

    subroutine exchange()
        use mpi
        integer :: error
        if (rank == 0) then
            call MPI_Sendrecv(u(1, columns), rows, MPI_DOUBLE_PRECISION, 1, 0, u(1, columns + 1), rows, & ! border of rank 0
                MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        else
            call MPI_Sendrecv(u(1, 1), rows, MPI_DOUBLE_PRECISION, 0, 0, u(1, 0), rows, & ! border of rank 1
                MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        end if
    end subroutine

    subroutine sweep()
        use mpi
        integer :: color, error
        do color = 0, 1
            call relax(color)
            if (.not. cured) call MPI_Barrier(MPI_COMM_WORLD, error) ! end of a color
            call exchange()
        end do
    end subroutine
end module

program red_and_black
    use mpi
    use colors
    implicit none
    double precision :: began, took, longest
    integer :: step, error, correct, everywhere
    character(len=16) :: argument
    call get_command_argument(1, argument)
    cured = argument == 'cured'
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    u = 1
    u(1:rows, 1:columns) = 0
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = MPI_Wtime()
    do step = 1, steps
        call sweep()
    end do
    took = MPI_Wtime() - began
    correct = merge(1, 0, maxval(abs(u - 1)) < 1d-9)
    call MPI_Reduce(took, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(correct, everywhere, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,f0.6)', 'loop ', longest
    if (rank == 0) print '(a)', merge('ok   ', 'WRONG', everywhere == 1)
    call MPI_Finalize(error)
    if (everywhere == 0) stop 1
end program
