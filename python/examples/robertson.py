"""Robertson's reaction as a DAE of index 1."""
import rhumb

def F(t, y, yp):
    r = 1e4 * y[1] * y[2]
    return [yp[0] + 0.04 * y[0] - r, yp[1] - 0.04 * y[0] + r + 3e7 * y[1] ** 2, y.sum() - 1]

s = rhumb.solve(F, (0, 4e10), [1, 0, 0], rtol=1e-6, atol=1e-12)
print(s.sol([0.4, 4e3, 4e10]).T)
