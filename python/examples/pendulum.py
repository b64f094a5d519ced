"""A pendulum with its velocity constraint, index 2: x, z, u, w and the force in the rod."""
import rhumb

def F(t, y, yp):
    x, z, u, w, force = y
    return [yp[0] - u, yp[1] - w, yp[2] + force * x, yp[3] + force * z + 9.81, x * u + z * w]

s = rhumb.solve(F, (0, 10), [1, 0, 0, 0, 0], kinds=4 * ["differential"] + ["index2"], rtol=1e-6)
print(s.y_end)
