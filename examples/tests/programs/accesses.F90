! Each rank writes 100,000 numbers to a file of its own between its calls of MPI, and reads them again.
! Arguments: a folder for the file.
program accesses
    use mpi
    implicit none
    integer :: rank, error, at
    character(len=4000) :: folder, path
    real(8) :: numbers(1000)

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call get_command_argument(1, folder)
    write (path, '(a,a,i0)') trim(folder), '/numbers-', rank
    numbers = rank
    open (10, file=trim(path), access='stream', form='unformatted', status='replace')
    do at = 1, 100
        write (10) numbers ! write
    end do
    close (10)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    open (10, file=trim(path), access='stream', form='unformatted', status='old')
    do at = 1, 100
        read (10) numbers ! read
    end do
    close (10)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (any(numbers /= rank)) stop 1
    call MPI_Finalize(error)
end program
