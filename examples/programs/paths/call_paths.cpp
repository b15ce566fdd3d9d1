// Calls MPI from templates, lambdas, methods, inlined functions, and while exceptions pass.
#include "stated_paths.h"

#include <stdexcept>
#include <vector>

#define METHOD __attribute__((noipa))

namespace mesh {

template <int SIZE>
METHOD void step()
{
    char text[100];
    snprintf(text, sizeof text, "main > void mesh::step<%d>()", SIZE);
    CALL(layer(text));
}

struct Halo {
    virtual ~Halo() = default;
    METHOD virtual void exchange() { CALL(layer("main > mesh::Halo::exchange()")); }
};

struct Wide : Halo {
    METHOD void exchange() override { CALL(layer("main > mesh::Wide::exchange()")); }
};

}  // namespace mesh

__attribute__((always_inline)) static inline void inlined()
{
    CALL(layer("main > around > inlined"));
}

FUNCTION void around()
{
    CALL(inlined());
}

FUNCTION void thrower(int turn)
{
    CALL(layer("main > catcher > thrower"));
    if (turn % 2)
        throw std::runtime_error("on purpose");
}

FUNCTION void catcher(int turn)
{
    try {
        CALL(thrower(turn));
    } catch (const std::runtime_error &) {
        CALL(layer("main > catcher"));
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    mesh::Halo narrow;
    mesh::Wide wide;
    std::vector<mesh::Halo *> halos = {&narrow, &wide};
    for (int turn = 0; turn < 30; turn++) {
        mesh::step<1>();
        mesh::step<2>();
        halos[turn % 2]->exchange();
        around();
        catcher(turn);
    }
    print_stated();
    MPI_Finalize();
    return 0;
}
