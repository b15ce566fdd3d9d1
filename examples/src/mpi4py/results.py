"""Runs mpi4py's own tests and writes what came of each to a file of the rank.

results.py OUT local|global TESTS ARGUMENT...: the extension module is loaded with its symbols local or global, TESTS is
the folder of mpi4py's tests, the arguments are those of its main.py.
"""

import os
import sys
import unittest


class Result(unittest.TextTestResult):
    """Says the outcome of each test as it ends, so that what ran before a crash is known."""

    def startTestRun(self):
        from mpi4py import MPI

        self.said = open(f"{Runner.out}.{MPI.COMM_WORLD.Get_rank()}", "w", buffering=1)

    def say(self, outcome, test):
        print(outcome, test.id(), file=self.said)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.say("passed", test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.say("failed", test)

    def addError(self, test, error):
        super().addError(test, error)
        self.say("error", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say("skipped", test)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.say("failed", subtest)


class Runner(unittest.TextTestRunner):
    resultclass = Result


def main():
    Runner.out, loaded, tests = sys.argv[1:4]
    if loaded == "global":
        sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
    sys.dont_write_bytecode = True
    sys.argv = [os.path.join(tests, "main.py"), *sys.argv[4:]]
    sys.path.insert(0, tests)
    # mpi4py's tests have their main program under this name.
    import main as tests_main

    tests_main.main(module=None, testRunner=Runner)


# Workers of mpi4py.futures import the program that has started them.
if __name__ == "__main__":
    main()
