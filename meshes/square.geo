// The unit square with named sides. `cells` per side; `quads` for quadrilaterals instead of triangles.
If (!Exists(cells)) cells = 8; EndIf
If (!Exists(quads)) quads = 0; EndIf
h = 1 / cells;
Point(1) = {0, 0, 0, h};
Point(2) = {1, 0, 0, h};
Point(3) = {1, 1, 0, h};
Point(4) = {0, 1, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4};
Plane Surface(1) = {1};
Physical Curve("bottom") = {1};
Physical Curve("right") = {2};
Physical Curve("top") = {3};
Physical Curve("left") = {4};
Physical Surface("body") = {1};
If (quads)
  Transfinite Curve {1, 2, 3, 4} = cells + 1;
  Transfinite Surface {1};
  Recombine Surface {1};
EndIf
