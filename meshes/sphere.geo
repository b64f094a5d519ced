// A ball of radius 1 around a ball of radius 0.4 of another material ("core" within "shell"); elements of order 2, so
// that both spheres are curved. `fineness` divides the sizes.
If (!Exists(fineness)) fineness = 1; EndIf
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 0.4};
Sphere(2) = {0, 0, 0, 1};
BooleanFragments{ Volume{2}; Delete; }{ Volume{1}; Delete; }
all[] = Volume {:};
core[] = Volume In BoundingBox {-0.5, -0.5, -0.5, 0.5, 0.5, 0.5};
shell[] = all[];
shell[] -= core[];
rim[] = Abs(CombinedBoundary{ Volume{:}; });
Physical Volume("core") = {core[]};
Physical Volume("shell") = {shell[]};
Physical Surface("surface") = {rim[]};
Mesh.MeshSizeMin = 0.45 / fineness;
Mesh.MeshSizeMax = 0.45 / fineness;
Mesh.ElementOrder = 2;
Mesh.HighOrderOptimize = 1;
