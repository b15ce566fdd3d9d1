! Each rank sleeps in a run time's function, which calls the C library.
program sleeps
  use mpi
  implicit none
  integer :: code
  call MPI_Init(code)
  call MPI_Barrier(MPI_COMM_WORLD, code)
  call sleep(1) ! sleep
  call execute_command_line('sleep 0.1') ! command
  call MPI_Barrier(MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
end program
