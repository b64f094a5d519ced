# Our comments are prose: what stands there in angle brackets, and #include, are no tags and no links to Doxygen.
/^ *\/\/\//{
  s/<([A-Za-z_ ]+)>/\&lt;\1\&gt;/g
  s/#include/\\#include/g
}
