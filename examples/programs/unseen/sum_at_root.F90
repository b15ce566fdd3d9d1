! A global sum of a table: the root gathers every rank's table, adds them up and broadcasts the sum. Cured: MPI_Allreduce.
program sum_at_root
    use mpi
    implicit none
    integer, parameter :: bins = 20000, samples = 8000
    double precision :: histogram(bins), totals(bins), began, mine, longest
    double precision, allocatable :: tables(:, :)
    integer :: me, ranks, error, sample, good, all_good
    character(len=8) :: how

    call get_command_argument(1, how)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    allocate(tables(bins, ranks))
    good = 1
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = MPI_Wtime()
    do sample = 1, samples
        call observe()
        if (how == 'cured') then
            call MPI_Allreduce(histogram, totals, bins, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
        else
            call collect()
        end if
        if (abs(totals(bins) - ranks * (sample + (ranks - 1) / 2d0)) > 1d-6) good = 0
    end do
    mine = MPI_Wtime() - began
    call MPI_Reduce(mine, longest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, error)
    call MPI_Allreduce(good, all_good, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
    if (me == 0) then
        write (*, '(a,f12.6)') 'loop ', longest
        write (*, '(a)') merge('ok   ', 'WRONG', all_good == 1)
    end if
    call MPI_Finalize(error)
    if (all_good /= 1) stop 1

contains

    subroutine observe()
        integer :: turn
        do turn = 1, 4
            histogram = dble(sample) + me
        end do
    end subroutine

    subroutine collect()
        integer :: bin, code
        call MPI_Gather(histogram, bins, MPI_DOUBLE_PRECISION, tables, bins, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, code) ! tables
        if (me == 0) then
            do bin = 1, bins
                totals(bin) = sum(tables(bin, :))
            end do
        end if
        call MPI_Bcast(totals, bins, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, code) ! the sum
    end subroutine
end program
