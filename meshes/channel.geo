// A channel 60 x 16 with two blocks of height 4 on its walls, from x = 15 to x = 30. `size`: of the cells.
If (!Exists(size)) size = 1; EndIf
Point(1) = {0, 0, 0, size};
Point(2) = {15, 0, 0, size};
Point(3) = {15, 4, 0, size};
Point(4) = {30, 4, 0, size};
Point(5) = {30, 0, 0, size};
Point(6) = {60, 0, 0, size};
Point(7) = {60, 16, 0, size};
Point(8) = {30, 16, 0, size};
Point(9) = {30, 12, 0, size};
Point(10) = {15, 12, 0, size};
Point(11) = {15, 16, 0, size};
Point(12) = {0, 16, 0, size};
For i In {1:11}
  Line(i) = {i, i + 1};
EndFor
Line(12) = {12, 1};
Curve Loop(1) = {1:12};
Plane Surface(1) = {1};
Physical Curve("left") = {12};
Physical Curve("right") = {6};
Physical Curve("walls") = {1, 5, 7, 11};
Physical Curve("blocks") = {2, 3, 4, 8, 9, 10};
Physical Surface("body") = {1};
