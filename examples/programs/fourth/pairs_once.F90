! Forces between all particles, each pair once: particle i with those before it. Ranks own as many particles, and the second half has three quarters of the
! pairs. Cured: particles are dealt out in turn.
module pairs
    implicit none
    integer, parameter :: particles = 3000, steps = 25
    double precision :: x(3, particles), force(3, particles), potential
    integer :: rank, ranks
    logical :: cured
contains

    subroutine attract(i)
        integer, intent(in) :: i
        double precision :: d(3), square
        integer :: j
        do j = 1, i - 1
            d = x(:, j) - x(:, i)
            square = sum(d * d) + 1d-3
            d = d / (square * sqrt(square))
            force(:, i) = force(:, i) + d
            force(:, j) = force(:, j) - d
        end do
    end subroutine

    subroutine attract_own()
        integer :: i
        force = 0
        if (cured) then
            do i = 1 + rank, particles, ranks
                call attract(i)
            end do
        else
            do i = 1 + rank * particles / ranks, (rank + 1) * particles / ranks
                call attract(i)
            end do
        end if
    end subroutine

    subroutine move()
        use mpi
        integer :: error
        call attract_own()
        call MPI_Allreduce(MPI_IN_PLACE, force, 3 * particles, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! forces
        x = x + 1d-12 * force
    end subroutine
end module

program each_pair_once
    use mpi
    use pairs
    implicit none
    double precision :: began, took, longest
    integer :: step, error, correct, everywhere
    character(len=16) :: argument
    call get_command_argument(1, argument)
    cured = argument == 'cured'
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    do step = 1, particles
        x(:, step) = [sin(1d0 * step), sin(2.3d0 * step), cos(1.7d0 * step)]
    end do
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = MPI_Wtime()
    do step = 1, steps
        call move()
    end do
    took = MPI_Wtime() - began
    correct = merge(1, 0, maxval(abs(sum(force, 2))) < 1d-3)
    call MPI_Reduce(took, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(correct, everywhere, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,f0.6)', 'loop ', longest
    if (rank == 0) print '(a)', merge('ok   ', 'WRONG', everywhere == 1)
    call MPI_Finalize(error)
    if (everywhere == 0) stop 1
end program
