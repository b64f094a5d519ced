// The unit cube with named sides. `cells` per edge; `hexahedra` instead of tetrahedra.
If (!Exists(cells)) cells = 3; EndIf
If (!Exists(hexahedra)) hexahedra = 0; EndIf
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
If (hexahedra)
  Transfinite Curve {1, 2, 3, 4} = cells + 1;
  Transfinite Surface {1};
  Recombine Surface {1};
  out[] = Extrude {0, 0, 1} { Surface{1}; Layers{cells}; Recombine; };
Else
  out[] = Extrude {0, 0, 1} { Surface{1}; };
EndIf
Physical Surface("back") = {1};
Physical Surface("front") = {out[0]};
Physical Surface("bottom") = {out[2]};
Physical Surface("right") = {out[3]};
Physical Surface("top") = {out[4]};
Physical Surface("left") = {out[5]};
Physical Volume("body") = {out[1]};
