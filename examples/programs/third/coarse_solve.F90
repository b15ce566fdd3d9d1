! Domain decomposition in two levels: the residual of the coarse level is gathered on rank 0, which multiplies it by the inverse of the coarse matrix
! while the other waits for its part of the correction. Cured: each rank multiplies by its own rows of the inverse.
module levels
    implicit none
    integer, parameter :: coarse = 1200, fine = 150000, iterations = 300
    double precision :: inverse(coarse, coarse), residual(coarse), correction(coarse), u(fine)
    integer :: rank, ranks, part
    logical :: cured
contains

    subroutine smooth()
        integer :: i
        do i = 2, fine - 1
            u(i) = 0.5d0 * u(i) + 0.25d0 * (u(i - 1) + u(i + 1))
        end do
        residual(1:part) = u(1:part)
    end subroutine

    ! Rows from `first` on, of which the matrix, being symmetric, has as columns.
    subroutine multiply(first, rows, r, c)
        integer, intent(in) :: first, rows
        double precision, intent(in) :: r(coarse)
        double precision, intent(out) :: c(rows)
        integer :: i, k
        do i = 1, rows
            c(i) = 0
            do k = 1, coarse
                c(i) = c(i) + inverse(k, first + i - 1) * r(k)
            end do
        end do
    end subroutine

    subroutine coarse_solve()
        use mpi
        double precision :: all_residuals(coarse), all_corrections(coarse)
        integer :: error
        if (cured) then
            call MPI_Allgather(residual, part, MPI_DOUBLE_PRECISION, all_residuals, part, MPI_DOUBLE_PRECISION, & ! residuals everywhere
                MPI_COMM_WORLD, error)
            call multiply(1 + rank * part, part, all_residuals, correction)
            return
        end if
        call MPI_Gather(residual, part, MPI_DOUBLE_PRECISION, all_residuals, part, MPI_DOUBLE_PRECISION, 0, & ! coarse residual
            MPI_COMM_WORLD, error)
        if (rank == 0) call multiply(1, coarse, all_residuals, all_corrections)
        call MPI_Scatter(all_corrections, part, MPI_DOUBLE_PRECISION, correction, part, MPI_DOUBLE_PRECISION, 0, & ! coarse correction
            MPI_COMM_WORLD, error)
    end subroutine
end module

program two_levels
    use mpi
    use levels
    implicit none
    double precision :: began, took, longest
    integer :: iteration, i, error, correct, everywhere
    character(len=16) :: argument
    call get_command_argument(1, argument)
    cured = argument == 'cured'
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    part = coarse / ranks
    u = 1
    inverse = 1d0 / coarse
    do i = 1, coarse
        inverse(i, i) = inverse(i, i) + 2
    end do
    correct = 1
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = MPI_Wtime()
    do iteration = 1, iterations
        call smooth()
        call coarse_solve()
        if (maxval(abs(correction(1:part) - 3)) > 1d-9) correct = 0
    end do
    took = MPI_Wtime() - began
    call MPI_Reduce(took, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(correct, everywhere, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,f0.6)', 'loop ', longest
    if (rank == 0) print '(a)', merge('ok   ', 'WRONG', everywhere == 1)
    call MPI_Finalize(error)
    if (everywhere == 0) stop 1
end program
