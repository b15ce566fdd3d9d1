! Conjugate gradients for 64 right-hand sides, whose scalar products are each summed by a call of its own. Cured: one call for all.
program block_dots
    use mpi
    implicit none
    integer, parameter :: sides = 64, length = 400, turns = 2000
    double precision :: vectors(length, sides), local(sides), sums(sides), began, mine, longest
    integer :: rank, ranks, error, turn, correct, everywhere
    character(len=16) :: argument
    logical :: cured

    call get_command_argument(1, argument)
    cured = argument == 'cured'
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    vectors = 1
    correct = 1
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = MPI_Wtime()
    do turn = 1, turns
        call products(vectors, local)
        call add_up(local, sums)
        if (abs(sums(sides) - ranks * length) > 1d-6) correct = 0
    end do
    mine = MPI_Wtime() - began
    call MPI_Reduce(mine, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(correct, everywhere, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (rank == 0) then
        print '(a,f0.6)', 'loop ', longest
        if (everywhere == 1) then
            print '(a)', 'ok'
        else
            print '(a)', 'WRONG'
        end if
    end if
    call MPI_Finalize(error)
    if (everywhere == 0) stop 1

contains

    subroutine products(of, results)
        double precision, intent(in) :: of(length, sides)
        double precision, intent(out) :: results(sides)
        integer :: side
        do side = 1, sides
            results(side) = dot_product(of(:, side), of(:, side))
        end do
    end subroutine

    subroutine add_up(parts, totals)
        double precision, intent(in) :: parts(sides)
        double precision, intent(out) :: totals(sides)
        integer :: side, status
        if (cured) then
            call MPI_Allreduce(parts, totals, sides, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, status)
        else
            do side = 1, sides
                call MPI_Allreduce(parts(side), totals(side), 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, status) ! one product
            end do
        end if
    end subroutine
end program
