! A weather model that asks after each of its four phases whether any rank failed in it. Clouds are over one rank and convection over the other, so
! that each phase takes one of them longer, and each question makes the other wait; all phases together take both as long. Cured: it
! asks once per step.
module weather
    implicit none
    integer, parameter :: phases = 4, steps = 100, points = 1000
    double precision :: state(points)
    integer :: rank, ranks
    logical :: cured
contains

    subroutine physics(phase, failed)
        integer, intent(in) :: phase
        integer, intent(inout) :: failed
        integer :: sweep, sweeps, i
        sweeps = merge(6000, 2000, mod(phase, 2) == mod(rank, 2))
        do sweep = 1, sweeps
            do i = 1, points
                state(i) = 0.999d0 * state(i) + 0.001d0
            end do
        end do
        if (any(state < 0)) failed = phase
    end subroutine

    subroutine ask(failed)
        use mpi
        integer, intent(inout) :: failed
        integer :: anywhere, error
        call MPI_Allreduce(failed, anywhere, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error) ! has any failed
        if (anywhere > 0) call MPI_Abort(MPI_COMM_WORLD, anywhere, error)
    end subroutine

    subroutine advance(failed)
        integer, intent(inout) :: failed
        integer :: phase
        do phase = 1, phases
            call physics(phase, failed)
            if (.not. cured .or. phase == phases) call ask(failed)
        end do
    end subroutine
end module

program forecast
    use mpi
    use weather
    implicit none
    double precision :: began, took, longest
    integer :: step, failed, error, correct, everywhere
    character(len=16) :: argument
    call get_command_argument(1, argument)
    cured = argument == 'cured'
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    state = 2
    failed = 0
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = MPI_Wtime()
    do step = 1, steps
        call advance(failed)
    end do
    took = MPI_Wtime() - began
    correct = merge(1, 0, failed == 0 .and. maxval(abs(state - 1)) < 1d-6)
    call MPI_Reduce(took, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(correct, everywhere, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,f0.6)', 'loop ', longest
    if (rank == 0) print '(a)', merge('ok   ', 'WRONG', everywhere == 1)
    call MPI_Finalize(error)
    if (everywhere == 0) stop 1
end program
