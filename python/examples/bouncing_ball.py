"""A ball that keeps 80 per cent of its speed at each bounce."""
import rhumb

def bounce(t, y):
    y[1] = -0.8 * y[1]

floor = rhumb.Event(lambda t, y: y[0], direction=-1, action=bounce)
s = rhumb.solve_ode(lambda t, y: [y[1], -9.81], (0, 3), [1, 0], events=[floor])
print(s.t_events[0])
