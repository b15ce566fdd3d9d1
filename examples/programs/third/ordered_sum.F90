! A model whose global sums must not depend on how its cells are added: rank 0 adds its cells and sends the sum, and rank 1 goes on from there with
! its own, so that the sum is that of one rank. Cured: sums of integers, which are the same in any order, and MPI_Allreduce.
module cells
    implicit none
    integer, parameter :: long = selected_int_kind(18), mine = 400000, steps = 500
    double precision, parameter :: unit = 2d0**30
    double precision :: heat(0:mine + 1), changed(mine)
    integer :: rank, ranks
    logical :: cured
contains

    subroutine conduct()
        integer :: i
        heat(0) = heat(1)
        heat(mine + 1) = heat(mine)
        do i = 1, mine
            changed(i) = heat(i) + 0.25d0 * (heat(i - 1) - 2*heat(i) + heat(i + 1))
        end do
        heat(1:mine) = changed
    end subroutine

    function ordered_sum() result(total)
        use mpi
        double precision :: total
        integer :: i, error
        total = 0
        if (rank > 0) then
            call MPI_Recv(total, 1, MPI_DOUBLE_PRECISION, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! the sum so far
        end if
        do i = 1, mine
            total = total + heat(i)
        end do
        if (rank < ranks - 1) then
            call MPI_Send(total, 1, MPI_DOUBLE_PRECISION, rank + 1, 0, MPI_COMM_WORLD, error) ! hand on the sum
        end if
        call MPI_Bcast(total, 1, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, error) ! total
    end function

    function sum_of_integers() result(total)
        use mpi
        double precision :: total
        integer(long) :: part, whole
        integer :: i, error
        part = 0
        do i = 1, mine
            part = part + int(heat(i) * unit, long)
        end do
        call MPI_Allreduce(part, whole, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, error) ! sum of integers
        total = whole / unit
    end function
end module

program ordered_sums
    use mpi
    use cells
    implicit none
    double precision :: began, took, longest, total
    integer :: step, i, error, correct, everywhere
    character(len=16) :: argument
    call get_command_argument(1, argument)
    cured = argument == 'cured'
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    do i = 1, mine
        heat(i) = mod(i, 10)
    end do
    correct = 1
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = MPI_Wtime()
    do step = 1, steps
        call conduct()
        if (cured) then
            total = sum_of_integers()
        else
            total = ordered_sum()
        end if
        if (abs(total - ranks * 4.5d0 * mine) > 1d-2) correct = 0
    end do
    took = MPI_Wtime() - began
    call MPI_Reduce(took, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(correct, everywhere, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,f0.6)', 'loop ', longest
    if (rank == 0) print '(a)', merge('ok   ', 'WRONG', everywhere == 1)
    call MPI_Finalize(error)
    if (everywhere == 0) stop 1
end program
